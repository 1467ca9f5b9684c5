import { expect, test } from 'vitest';
import type { ChatFacts } from './history/history.ts';
import type { FinishReason, HistoryMessage, HistoryPart, SummaryMark } from './history/message.ts';
import { next, type NextConfig } from './next.ts';
import { toolIndex } from './tools/tool-index.ts';

const local = (name: string, idempotent: boolean) => ({
  name,
  input: {},
  idempotent,
  run: () => null,
});
const config: NextConfig = {
  tools: toolIndex([
    local('read', true),
    local('write', false),
    { name: 'client', input: {}, answeredBy: 'client' },
    { name: 'person', input: {}, answeredBy: 'person' },
  ]),
  max_steps: 5,
  compaction_threshold: 70,
  context_limit: 100,
};

const user: HistoryMessage = { role: 'user', content: [{ type: 'text', text: 'x' }] };
const call = (id: string, name = 'read', extra: object = {}): HistoryPart => ({
  type: 'tool-call',
  tool_call_id: id,
  tool_name: name,
  args: {},
  ...extra,
});
const step = (
  reason: FinishReason,
  calls: HistoryPart[] = [],
  extra: Partial<HistoryMessage> = {},
): HistoryMessage => ({
  role: 'assistant',
  content: calls,
  ...extra,
  meta: { finish_reason: reason, ...extra.meta },
});
const results = (...ids: string[]): HistoryMessage => ({
  role: 'tool',
  content: ids.map((id) => ({
    type: 'tool-result',
    tool_call_id: id,
    tool_name: 'read',
    result: 1,
  })),
});
const full = { usage: { input_tokens: 70, context_limit: 100 } };
const asked = (source: 'automatic' | 'manual' | 'overflow'): HistoryMessage => ({
  role: 'assistant',
  content: [call('s', 'chat_summarized')],
  meta: { compaction: { source } },
});
const answered = (source: 'automatic' | 'manual' | 'overflow'): HistoryMessage => ({
  ...results('s'),
  meta: { compaction: { source } },
});
const summary = (mark: Partial<SummaryMark> = {}): HistoryMessage => ({
  role: 'user',
  hidden: true,
  content: [{ type: 'text', text: 's' }],
  meta: { summary: { source: 'automatic', after_finish: false, steps: 0, reentries: 0, ...mark } },
});

interface Case {
  name: string;
  messages: HistoryMessage[];
  chat?: ChatFacts;
  config?: Partial<NextConfig>;
  expected: object;
}

const planned = (id: string, refuse?: string) => ({
  call: expect.objectContaining({ tool_call_id: id }),
  ...(refuse && { refuse: expect.stringContaining(refuse) }),
});

const cases: Case[] = [
  { name: 'an empty chat has nothing to do', messages: [], expected: { type: 'finish' } },
  { name: 'a user message is answered', messages: [user], expected: { type: 'generate' } },
  {
    name: 'a finished response ends the turn',
    messages: [user, step('stop')],
    expected: { type: 'finish' },
  },
  {
    name: 'a response cut by length without calls ends the turn',
    messages: [user, step('length')],
    expected: { type: 'finish' },
  },
  {
    name: 'calls are run',
    messages: [user, step('tool-calls', [call('a'), call('b')])],
    expected: { type: 'run-tools', calls: [planned('a'), planned('b')] },
  },
  {
    name: 'only open calls are run',
    messages: [user, step('tool-calls', [call('a'), call('b')]), results('a')],
    expected: { type: 'run-tools', calls: [planned('b')] },
  },
  {
    name: 'answered calls lead to the next response',
    messages: [user, step('tool-calls', [call('a')]), results('a')],
    expected: { type: 'generate' },
  },
  {
    name: 'provider-executed calls are not run',
    messages: [user, step('stop', [call('a', 'web', { provider_executed: true })])],
    expected: { type: 'finish' },
  },
  {
    name: 'calls cut by length are refused',
    messages: [user, step('length', [call('a')])],
    expected: { type: 'run-tools', calls: [planned('a', 'length limit')] },
  },
  {
    name: 'after calls that were refused for length, the turn continues',
    messages: [user, step('length', [call('a')]), results('a')],
    expected: { type: 'generate' },
  },
  {
    name: 'a complete call runs even if the finish reason is stop',
    messages: [user, step('stop', [call('a')])],
    expected: { type: 'run-tools', calls: [planned('a')] },
  },
  {
    name: 'after the result of such a call, the model continues',
    messages: [user, step('stop', [call('a')]), results('a')],
    expected: { type: 'generate' },
  },
  {
    name: 'a call of an unknown tool is run, which reports the error',
    messages: [user, step('tool-calls', [call('a', 'nope')])],
    expected: { type: 'run-tools', calls: [planned('a')] },
  },
  {
    name: 'client calls are awaited',
    messages: [user, step('tool-calls', [call('a', 'client')])],
    expected: {
      type: 'require-action',
      calls: [{ tool_call_id: 'a', tool_name: 'client', args: {}, kind: 'dynamic' }],
    },
  },
  {
    name: 'questions are awaited',
    messages: [user, step('tool-calls', [call('a', 'person')])],
    expected: {
      type: 'require-action',
      calls: [{ tool_call_id: 'a', tool_name: 'person', args: {}, kind: 'question' }],
    },
  },
  {
    name: 'local calls run before the loop waits for client calls',
    messages: [user, step('tool-calls', [call('a', 'client'), call('b')])],
    expected: { type: 'run-tools', calls: [planned('b')] },
  },
  {
    name: 'a call that needs approval is awaited',
    messages: [user, step('tool-calls', [call('a')])],
    config: { approval: () => 'ask' },
    expected: {
      type: 'require-action',
      calls: [{ tool_call_id: 'a', tool_name: 'read', args: {}, kind: 'approval' }],
    },
  },
  {
    name: 'an approved call is run',
    messages: [user, step('tool-calls', [call('a')])],
    config: { approval: () => 'ask' },
    chat: { approvals: { a: 'allow' } },
    expected: { type: 'run-tools', calls: [{ ...planned('a'), approved: true }] },
  },
  {
    name: 'a denied call is refused',
    messages: [user, step('tool-calls', [call('a')])],
    config: { approval: () => 'ask' },
    chat: { approvals: { a: 'deny' } },
    expected: { type: 'run-tools', calls: [planned('a', 'denied')] },
  },
  {
    name: 'a denial has its reason, even if a rule denies the call as well',
    messages: [user, step('tool-calls', [call('a')])],
    config: { approval: () => 'deny' },
    chat: { approvals: { a: { deny: 'Use npm ci.' } } },
    expected: { type: 'run-tools', calls: [planned('a', 'denied it. Reason: Use npm ci.')] },
  },
  {
    name: 'a forbidden call is refused',
    messages: [user, step('tool-calls', [call('a')])],
    config: { approval: () => 'deny' },
    expected: { type: 'run-tools', calls: [planned('a', 'not allowed')] },
  },
  {
    name: 'calls that may have started run again if they are idempotent, and are refused otherwise',
    messages: [user, step('tool-calls', [call('a'), call('b', 'write')])],
    chat: { maybe_started: ['a', 'b'] },
    expected: { type: 'run-tools', calls: [planned('a'), planned('b', 'unknown')] },
  },
  {
    name: 'a call that runs again is still marked as approved',
    messages: [user, step('tool-calls', [call('a')])],
    chat: { maybe_started: ['a'], approvals: { a: 'allow' } },
    expected: { type: 'run-tools', calls: [{ ...planned('a'), approved: true }] },
  },
  {
    name: 'a full context is summarized between steps',
    messages: [user, step('tool-calls', [call('a')], full), results('a')],
    expected: { type: 'compact', source: 'automatic' },
  },
  {
    name: 'tools run before a full context is summarized',
    messages: [user, step('tool-calls', [call('a')], full)],
    expected: { type: 'run-tools', calls: [planned('a')] },
  },
  {
    name: 'a full context is summarized at the end',
    messages: [user, step('stop', [], full)],
    expected: { type: 'compact', source: 'automatic' },
  },
  {
    name: 'a full context is summarized before waiting',
    messages: [user, step('tool-calls', [call('a', 'client')], full)],
    expected: { type: 'compact', source: 'automatic' },
  },
  {
    name: 'the loop summarizes only once before waiting',
    messages: [
      user,
      step('tool-calls', [call('a', 'client')], full),
      asked('automatic'),
      answered('automatic'),
      summary(),
    ],
    expected: { type: 'require-action', calls: [expect.objectContaining({ tool_call_id: 'a' })] },
  },
  {
    name: 'a failed summary between steps does not stop the turn',
    messages: [
      user,
      step('tool-calls', [call('a')], full),
      results('a'),
      asked('automatic'),
      answered('automatic'),
    ],
    expected: { type: 'generate' },
  },
  {
    name: 'a failed summary at the end ends the turn',
    messages: [user, step('stop', [], full), asked('automatic'), answered('automatic')],
    expected: { type: 'finish' },
  },
  {
    name: 'after a summary between steps, the model continues',
    messages: [
      user,
      step('tool-calls', [call('a')], full),
      results('a'),
      asked('automatic'),
      answered('automatic'),
      summary(),
    ],
    expected: { type: 'generate' },
  },
  {
    name: 'after a summary at the end, the model is called again',
    messages: [
      user,
      step('stop', [], full),
      asked('automatic'),
      answered('automatic'),
      summary({ after_finish: true, reentries: 2 }),
    ],
    expected: { type: 'generate' },
  },
  {
    name: 'after three reentries, a summary at the end ends the turn',
    messages: [
      user,
      step('stop', [], full),
      asked('automatic'),
      answered('automatic'),
      summary({ after_finish: true, reentries: 3 }),
    ],
    expected: { type: 'finish' },
  },
  {
    name: 'a manual request for a summary is served',
    messages: [user, step('stop')],
    chat: { compaction_requested: true },
    expected: { type: 'compact', source: 'manual' },
  },
  {
    name: 'after a manual summary, the turn ends',
    messages: [
      user,
      step('stop'),
      asked('manual'),
      answered('manual'),
      summary({ source: 'manual' }),
    ],
    expected: { type: 'finish' },
  },
  {
    name: 'after a failed manual summary, the turn ends',
    messages: [user, asked('manual'), answered('manual')],
    expected: { type: 'finish' },
  },
  {
    name: 'a summary whose call is committed is written',
    messages: [user, asked('overflow')],
    expected: { type: 'compact', source: 'overflow' },
  },
  {
    name: 'after a failed overflow summary, the turn fails',
    messages: [user, asked('overflow'), answered('overflow')],
    expected: { type: 'fail', error: expect.objectContaining({ kind: 'context_length' }) },
  },
  {
    name: 'an interrupted response ends the turn',
    messages: [user, step('interrupted')],
    expected: { type: 'finish' },
  },
  {
    name: 'interrupted results end the turn',
    messages: [
      user,
      step('tool-calls', [call('a')]),
      { ...results('a'), meta: { interrupted: true } },
    ],
    expected: { type: 'finish' },
  },
  {
    name: 'a new message after an interrupt is answered',
    messages: [user, step('interrupted'), user],
    expected: { type: 'generate' },
  },
  {
    name: 'refused content fails the turn',
    messages: [user, step('content-filter')],
    expected: { type: 'fail', error: expect.objectContaining({ kind: 'content_filter' }) },
  },
  {
    name: 'a paused response does not end the turn',
    messages: [user, step('stop', [], { meta: { finish_raw: 'pause_turn' } })],
    expected: { type: 'generate' },
  },
  {
    name: 'steps are limited',
    messages: [
      user,
      ...Array.from({ length: 5 }, (_, n) => [
        step('tool-calls', [call(`${n}`)]),
        results(`${n}`),
      ]).flat(),
    ],
    expected: { type: 'fail', error: expect.objectContaining({ kind: 'step_limit' }) },
  },
  {
    name: 'a new turn resets the step count',
    messages: [
      user,
      ...Array.from({ length: 5 }, (_, n) => [
        step('tool-calls', [call(`${n}`)]),
        results(`${n}`),
      ]).flat(),
      user,
    ],
    expected: { type: 'generate' },
  },
  {
    name: 'a steered message does not reset the step count',
    messages: [
      user,
      ...Array.from({ length: 5 }, (_, n) => [
        step('tool-calls', [call(`${n}`)]),
        results(`${n}`),
      ]).flat(),
      { ...user, meta: { steered: true } },
    ],
    expected: { type: 'fail', error: expect.objectContaining({ kind: 'step_limit' }) },
  },
  {
    name: 'steps before a summary count',
    messages: [summary({ steps: 5 })],
    expected: { type: 'fail', error: expect.objectContaining({ kind: 'step_limit' }) },
  },
];

test.each(cases)('$name', ({ messages, chat = {}, config: own, expected }) => {
  const before = structuredClone(messages);
  expect(next({ messages, chat }, { ...config, ...own })).toEqual(expected);
  expect(messages).toEqual(before);
});

test('the next action depends only on the history', () => {
  for (const { messages, chat = {}, config: own } of cases) {
    const all = { ...config, ...own };
    expect(next({ messages, chat }, all)).toEqual(next(structuredClone({ messages, chat }), all));
  }
});
