import { ReasoningEffort } from '@chatd/protocol';
import { expect, test } from 'vitest';
import type { HistoryMessage } from '../history/message.ts';
import { familyOf } from './family.ts';
import { chainOf, storageOf } from './openai.ts';
import { effortOf } from './reasoning-effort.ts';
import { webSearchTool } from './web-search.ts';

test.each([
  ['anthropic.messages', 'anthropic'],
  ['vertex.anthropic.messages', 'anthropic'],
  ['openai.responses', 'openai-responses'],
  ['azure.responses', 'openai-responses'],
  ['openai.chat', 'other'],
  ['google.generative-ai', 'google'],
  ['vertex.gemini', 'google'],
  ['deepseek.chat', 'other'],
  ['xai.responses', 'other'],
] as const)('%s is of the family %s', (provider, family) =>
  expect(familyOf(provider)).toBe(family),
);

test('effort is clamped to the maximum of the model, in this order', () => {
  expect(ReasoningEffort.options).toEqual([
    'none',
    'minimal',
    'low',
    'medium',
    'high',
    'xhigh',
    'max',
  ]);
  const reasoning_effort = { default: 'low', max: 'high' } as const;
  expect(effortOf({ effort: 'max', reasoning_effort })).toBe('high');
  expect(effortOf({ effort: 'minimal', reasoning_effort })).toBe('minimal');
  expect(effortOf({ reasoning_effort })).toBe('low');
  expect(effortOf({ effort: 'xhigh' })).toBe('xhigh');
  expect(effortOf({})).toBeUndefined();
});

test('each provider has its own web search, with what can be set there', () => {
  const search = {
    allowed_domains: ['a.com'],
    blocked_domains: ['b.com'],
    context_size: 'high',
  } as const;
  const all = {
    ...search,
    allowed_domains: [...search.allowed_domains],
    blocked_domains: [...search.blocked_domains],
  };
  expect(webSearchTool('anthropic', all)?.provider).toEqual({
    id: 'anthropic.web_search_20250305',
    name: 'web_search',
    args: { allowedDomains: ['a.com'] },
  });
  expect(webSearchTool('anthropic', { blocked_domains: ['b.com'] })?.provider.args).toEqual({
    blockedDomains: ['b.com'],
  });
  expect(webSearchTool('openai-responses', all)?.provider).toEqual({
    id: 'openai.web_search',
    name: 'web_search',
    args: { filters: { allowedDomains: ['a.com'] }, searchContextSize: 'high' },
  });
  expect(webSearchTool('google', {})?.provider).toEqual({
    id: 'google.google_search',
    name: 'google_search',
    args: {},
  });
  expect(webSearchTool('other', all)).toBeUndefined();
});

test.each([
  ['openai.responses', { openai: { store: true } }, { stored: true, chained: true }],
  ['azure.responses', { azure: { store: true } }, { stored: true, chained: true }],
  ['openai.responses', undefined, { stored: true, chained: false }],
  ['openai.responses', { openai: { store: false } }, { stored: false, chained: false }],
  ['anthropic.messages', { openai: { store: true } }, { stored: false, chained: false }],
])('%s with %o keeps %o', (provider, options, expected) =>
  expect(storageOf(provider, options)).toEqual(expected),
);

const at = { provider: 'openai.responses', model: 'gpt' };
const user: HistoryMessage = { role: 'user', content: [{ type: 'text', text: 'x' }] };
const step = (meta: object = {}): HistoryMessage => ({
  role: 'assistant',
  content: [],
  meta: { finish_reason: 'stop', ...at, provider_response_id: 'resp_1', ...meta },
});

test('a chain holds while only user messages came after a stored response', () => {
  expect(chainOf([user, step(), user, user], at)).toEqual({
    previousResponseId: 'resp_1',
    messages: [user, user],
  });
});

const broken: [string, HistoryMessage[]][] = [
  ['a missing id', [user, step({ provider_response_id: undefined }), user]],
  ['results of tools', [user, step(), { role: 'tool', content: [] }]],
  ['another model', [user, step({ model: 'other' }), user]],
  ['another provider', [user, step({ provider: 'azure.responses' }), user]],
  [
    'a summary',
    [
      user,
      step(),
      {
        ...user,
        meta: { summary: { source: 'manual', after_finish: true, steps: 0, reentries: 0 } },
      },
    ],
  ],
  ['nothing new', [user, step()]],
];

test.each(broken)('%s ends the chain', (_, messages) =>
  expect(chainOf(messages, at)).toBeUndefined(),
);
