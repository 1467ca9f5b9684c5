import type { LanguageModelV4FinishReason } from '@ai-sdk/provider';
import { ReasoningEffort } from '@chatd/protocol';
import { expect, test } from 'vitest';
import type { HistoryMessage } from '../history/message.ts';
import { withoutToolBlocks } from './bedrock.ts';
import { cacheMarkOf } from './cache-mark.ts';
import { familyOf, originOf } from './family.ts';
import { isToldFinish } from './finish.ts';
import { isHeard } from './first-words.ts';
import { chainOf, storageOf } from './openai.ts';
import { withOpenRouterEffort } from './openrouter.ts';
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
  ['amazon-bedrock', 'bedrock'],
  ['openrouter', 'openrouter'],
] as const)('%s is of the family %s', (provider, family) =>
  expect(familyOf(provider)).toBe(family),
);

test.each([
  ['anthropic/claude-sonnet-4.5', 'anthropic'],
  ['openai/gpt-5', 'openai-responses'],
  ['google/gemini-3-pro', 'google'],
  ['deepseek/deepseek-v3', 'other'],
])('behind the gateway, %s has the family %s', (model, family) =>
  expect(familyOf('gateway', model)).toBe(family),
);

test('models of different vendors behind one provider have different origins', () => {
  const claude = 'anthropic/claude-sonnet-4.5';
  expect(originOf('gateway', claude)).toBe(originOf('gateway', 'anthropic/claude-opus-4.5'));
  expect(originOf('gateway', claude)).not.toBe(originOf('gateway', 'openai/gpt-5'));
  expect(originOf('openrouter', claude)).not.toBe(originOf('openrouter', 'openai/gpt-5'));
  expect(originOf('anthropic.messages', 'a')).toBe(originOf('anthropic.messages', 'b'));
  expect(originOf(undefined, undefined)).not.toBe(originOf('anthropic.messages', 'a'));
});

test.each([
  ['anthropic.messages', 'claude-sonnet-4-5', 'anthropic'],
  ['gateway', 'anthropic/claude-sonnet-4.5', 'anthropic'],
  ['openrouter', 'anthropic/claude-sonnet-4.5', 'anthropic'],
  ['amazon-bedrock', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 'amazonBedrock'],
  ['amazon-bedrock', 'anthropic.claude-3-haiku-20240307-v1:0', undefined],
  ['amazon-bedrock', 'mistral.mistral-large', undefined],
  ['openrouter', 'openai/gpt-5', undefined],
  ['gateway', 'openai/gpt-5', undefined],
  ['openai.responses', 'gpt-5', undefined],
])('%s with %s has cache marks in the options of %s', (provider, model, name) =>
  expect(Object.keys(cacheMarkOf(provider, model)?.options ?? {})).toEqual(name ? [name] : []),
);

const isTold = (unified: LanguageModelV4FinishReason['unified'], raw?: string, by = 'fake.chat') =>
  isToldFinish({ unified, raw }, by);

test('a finish reason counts only if the provider sent it', () => {
  expect(isTold('stop', 'end_turn')).toBe(true);
  // OpenAI's Responses API sends no reason for an ordinary end.
  expect(isTold('stop')).toBe(true);
  expect(isTold('tool-calls')).toBe(true);
  expect(isTold('other', 'a new one')).toBe(true);
  expect(isTold('other')).toBe(false);
  expect(isTold('error')).toBe(false);
  expect(isTold('interrupted', 'x')).toBe(false);
  expect(isTold('tool-calls', undefined, 'openrouter')).toBe(false);
});

test('parts that a package generates do not count as output of the provider', () => {
  const metadata = { type: 'response-metadata', id: 'x' } as const;
  expect(isHeard({ type: 'stream-start', warnings: [] }, 'anthropic.messages')).toBe(false);
  expect(isHeard(metadata, 'anthropic.messages')).toBe(true);
  expect(isHeard(metadata, 'amazon-bedrock')).toBe(false);
});

test("OpenRouter gets the effort in its options, and an admin's options override it", () => {
  expect(withOpenRouterEffort(undefined, 'max')).toEqual({
    openrouter: { reasoning: { effort: 'xhigh' } },
  });
  const own = { openrouter: { reasoning: { max_tokens: 9 } } };
  expect(withOpenRouterEffort(own, 'low')).toEqual(own);
});

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

test('each provider has its own web search tool with the options that it supports', () => {
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
  expect(webSearchTool('openrouter', all)?.provider).toEqual({
    id: 'openrouter.web_search',
    name: 'web_search',
    args: { parameters: { allowed_domains: ['a.com'], search_context_size: 'high' } },
  });
  expect(webSearchTool('openrouter', { blocked_domains: ['b.com'] })?.provider.args).toEqual({
    parameters: { excluded_domains: ['b.com'] },
  });
  expect(webSearchTool('bedrock', all)).toBeUndefined();
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

test('without tools, calls and results are sent to Bedrock as text', () => {
  const output = { type: 'json' as const, value: { celsius: 24 } };
  const call = { toolCallId: 'a', toolName: 'weather' };
  const prompt = withoutToolBlocks([
    { role: 'user', content: [{ type: 'text', text: 'how warm?' }] },
    { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { city: 'Lisbon' } }] },
    { role: 'tool', content: [{ type: 'tool-result', ...call, output }] },
  ]);
  expect(prompt.slice(1)).toEqual([
    {
      role: 'assistant',
      content: [{ type: 'text', text: '[weather was called with {"city":"Lisbon"}]' }],
    },
    {
      role: 'user',
      content: [
        { type: 'text', text: '[weather returned:]' },
        { type: 'text', text: '{"celsius":24}' },
      ],
    },
  ]);
});
