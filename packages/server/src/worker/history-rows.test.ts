import type { HistoryMessage } from '@chatd/loop';
import { expect, test } from 'vitest';
import type { MessageRow } from '../chat/row.ts';
import { asHistory, asNewMessage } from './history-rows.ts';

const CONFIG = '00000000-0000-7000-8000-000000000002';

/** Stores and reads the messages, with JSON in place of the database. */
function storedAndRead(messages: HistoryMessage[]): HistoryMessage[] {
  const rows = messages.map((message, index): MessageRow => {
    const stored = JSON.parse(JSON.stringify(asNewMessage(message, CONFIG))) as Partial<MessageRow>;
    return {
      id: index,
      chat_id: CONFIG,
      role: message.role,
      revision: 1,
      hidden: false,
      content: [],
      meta: null,
      created_at: new Date(0),
      created_by: null,
      model_config_id: null,
      usage: null,
      cost_micros: null,
      runtime_ms: null,
      queued_message_id: null,
      ...stored,
    };
  });
  return asHistory([], rows);
}

const call = (id: string) => ({
  type: 'tool-call' as const,
  tool_call_id: id,
  tool_name: 'add',
  args: {},
});
const spoken = { provider: 'anthropic.messages', model: 'claude' };

test.each<[string, HistoryMessage[]]>([
  ['a message of the user', [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]],
  [
    'calls that all start, and their results',
    [
      {
        role: 'assistant',
        content: [call('a'), call('b')],
        usage: { input_tokens: 1 },
        cost_micros: 5,
        runtime_ms: 7,
        meta: {
          ...spoken,
          finish_reason: 'tool-calls',
          finish_raw: 'tool_use',
          starts: ['a', 'b'],
        },
      },
      { role: 'tool', content: [], runtime_ms: 1, meta: { ...spoken, interrupted: true } },
    ],
  ],
  [
    'calls of which one waits for a person',
    [
      {
        role: 'assistant',
        content: [call('a'), call('b')],
        meta: { ...spoken, finish_reason: 'tool-calls', starts: ['b'] },
      },
    ],
  ],
  [
    'a summary by another model',
    [
      { role: 'assistant', content: [], meta: { ...spoken, finish_reason: 'stop' } },
      {
        role: 'tool',
        content: [],
        meta: { provider: 'openai.chat', model: 'gpt', compaction: { source: 'manual' } },
      },
      { role: 'user', hidden: true, content: [{ type: 'text', text: 'So far' }] },
    ],
  ],
  [
    'results of calls that were open when the history was summarized',
    [
      {
        role: 'assistant',
        content: [call('a')],
        meta: { ...spoken, finish_reason: 'tool-calls' },
      },
      { role: 'assistant', content: [], meta: { compaction: { source: 'automatic' } } },
      {
        role: 'tool',
        content: [],
        meta: { provider: 'openai.chat', model: 'gpt', compaction: { source: 'automatic' } },
      },
      { role: 'user', hidden: true, content: [{ type: 'text', text: 'So far' }] },
      { role: 'tool', content: [], meta: spoken },
    ],
  ],
])('stored and read unchanged: %s', (_, messages) => {
  expect(storedAndRead(messages)).toEqual(messages);
});

const ended = (finish_raw: string) => ({ finish_reason: 'tool-calls' as const, finish_raw });

test("the provider's finish reason is kept if it says more than ours", () => {
  const stored = (raw: string) =>
    asNewMessage({ role: 'assistant', content: [], meta: ended(raw) }, CONFIG).meta;
  expect(stored('tool_calls')).toEqual({ finish_reason: 'tool-calls' });
  expect(stored('pause_turn')).toEqual(ended('pause_turn'));
});
