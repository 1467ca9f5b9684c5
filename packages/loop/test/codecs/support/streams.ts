import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiName } from './apis.ts';

type Event = Record<string, unknown>;

const folder = join(import.meta.dirname, '../../../../../../shared/fixtures/recorded');
const hasRecordings = existsSync(folder);

/** Recorded streams of real providers: the data of each event. */
export function recordings(api: ApiName): { name: string; lines: string[] }[] {
  if (!hasRecordings) return [];
  const recorded = join(folder, api.startsWith('openai-compatible') ? 'openai-chat' : api);
  return readdirSync(recorded)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => ({
      name,
      lines: readFileSync(join(recorded, name), 'utf8')
        .split('\n')
        .filter((line) => line.trim() !== ''),
    }));
}

export const frame = (data: string) => `data: ${data}\n\n`;

const block = (index: number, start: Event, deltas: Event[]): Event[] => [
  { type: 'content_block_start', index, content_block: start },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];

const item = (index: number, value: Event, between: Event[], done: Event = {}): Event[] => [
  { type: 'response.output_item.added', output_index: index, item: value },
  ...between.map((event) => ({ output_index: index, item_id: value['id'], ...event })),
  { type: 'response.output_item.done', output_index: index, item: { ...value, ...done } },
];

const chunk = (parts: Event[], added: Event = {}, usage: Event = {}): Event => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...added }],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 12, ...usage },
  modelVersion: 'gemini-3-pro-preview',
  responseId: 'response-1',
});

const completion = (delta: Event, added: Event = {}): Event => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_765_552_659,
  model: 'gpt-4.1-2025',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...added }],
});
const callDelta = (index: number, args: string, added: Event = {}): Event =>
  completion({ tool_calls: [{ index, ...added, function: { arguments: args } }] });

const chat = (thoughts: Event[]): Event[] => [
  completion({ role: 'assistant', content: '' }),
  ...thoughts.map((thought) => completion(thought)),
  completion({ content: 'Größe: 🦄' }),
  completion({ content: ' and\nmore' }),
  completion({
    tool_calls: [
      { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } },
    ],
  }),
  callDelta(0, '{"city": "Ro'),
  completion({
    tool_calls: [
      { index: 1, id: 'call_2', type: 'function', function: { name: 'search', arguments: '{' } },
    ],
  }),
  callDelta(0, 'me"}', { id: 'call_1' }),
  callDelta(1, '}'),
  completion({}, { finish_reason: 'tool_calls' }),
  {
    ...completion({}),
    choices: [],
    usage: {
      prompt_tokens: 12,
      completion_tokens: 42,
      total_tokens: 54,
      prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 9, accepted_prediction_tokens: 1 },
    },
  },
];
const thoughtful = chat([{ reasoning_content: 'Let me' }, { reasoning_content: ' look.' }]);

const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_765_552_659,
  model: 'gpt-5',
  service_tier: 'default',
};

const LONG = 'x'.repeat(300_000);

/** Blocks with interleaved deltas, and long deltas. */
export const INTERLEAVED: Partial<Record<ApiName, Event[]>> = {
  anthropic: [
    { type: 'message_start', message: { id: 'm', usage: { input_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'a', name: 'weather', input: {} },
    },
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: 'b', name: 'search', input: {} },
    },
    ...['{"x":"', LONG, '"}'].flatMap((json) => [
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: LONG } },
      {
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: json },
      },
      {
        type: 'content_block_delta',
        index: 2,
        delta: { type: 'input_json_delta', partial_json: json },
      },
    ]),
    { type: 'content_block_stop', index: 2 },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ],
  'openai-responses': [
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'm' } },
    {
      type: 'response.output_item.added',
      output_index: 1,
      item: { type: 'function_call', id: 'f', call_id: 'a', name: 'weather', arguments: '' },
    },
    ...[1, 2].flatMap(() => [
      { type: 'response.output_text.delta', output_index: 0, item_id: 'm', delta: LONG },
      {
        type: 'response.function_call_arguments.delta',
        output_index: 1,
        item_id: 'f',
        delta: LONG,
      },
    ]),
    {
      type: 'response.output_item.done',
      output_index: 1,
      item: {
        type: 'function_call',
        id: 'f',
        call_id: 'a',
        name: 'weather',
        arguments: LONG + LONG,
        status: 'completed',
      },
    },
    { type: 'response.output_item.done', output_index: 0, item: { type: 'message', id: 'm' } },
    { type: 'response.completed', response: {} },
  ],
  google: [
    chunk([{ text: LONG, thought: true }, { text: LONG }, { text: 'a', thought: true }]),
    chunk([
      { text: 'b' },
      { functionCall: { id: 'c', name: 'weather', args: { x: LONG } } },
      { text: 'd' },
    ]),
    chunk([], { finishReason: 'MAX_TOKENS' }),
  ],
};

/** A typical response of an agent's step. */
export const STREAMS: Record<ApiName, Event[]> = {
  anthropic: [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: 5,
          cache_read_input_tokens: 7,
          output_tokens: 1,
          service_tier: 'standard',
        },
      },
    },
    ...block(0, { type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: 'Let me' },
      { type: 'thinking_delta', thinking: ' look.' },
      { type: 'signature_delta', signature: 'c2lnbmVk' },
    ]),
    ...block(1, { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' }, []),
    { type: 'ping' },
    ...block(2, { type: 'text', text: '' }, [
      { type: 'text_delta', text: 'Größe: 🦄' },
      { type: 'text_delta', text: ' and\nmore' },
    ]),
    ...block(
      3,
      { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {}, caller: { type: 'direct' } },
      [
        { type: 'input_json_delta', partial_json: '' },
        { type: 'input_json_delta', partial_json: '{"city": "Ro' },
        { type: 'input_json_delta', partial_json: 'me"}' },
      ],
    ),
    ...block(4, { type: 'tool_use', id: 'toolu_2', name: 'search', input: {} }, []),
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 42, output_tokens_details: { thinking_tokens: 9 } },
    },
    { type: 'message_stop' },
  ],
  'openai-responses': [
    { type: 'response.created', response: { ...response, status: 'in_progress' } },
    { type: 'response.in_progress', response: { ...response, status: 'in_progress' } },
    ...item(0, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ZW5j' }, [
      { type: 'response.reasoning_summary_part.added', summary_index: 0 },
      { type: 'response.reasoning_summary_text.delta', summary_index: 0, delta: 'Let me' },
      { type: 'response.reasoning_summary_text.delta', summary_index: 0, delta: ' look.' },
      { type: 'response.reasoning_summary_text.done', summary_index: 0, text: 'Let me look.' },
      { type: 'response.reasoning_summary_part.done', summary_index: 0 },
      { type: 'response.reasoning_summary_part.added', summary_index: 1 },
      { type: 'response.reasoning_summary_text.delta', summary_index: 1, delta: 'Again.' },
      { type: 'response.reasoning_summary_part.done', summary_index: 1 },
    ]),
    ...item(
      1,
      { type: 'message', id: 'msg_1', role: 'assistant', content: [], phase: 'commentary' },
      [
        { type: 'response.content_part.added', content_index: 0 },
        { type: 'response.output_text.delta', content_index: 0, delta: 'Größe: 🦄', logprobs: [] },
        { type: 'response.output_text.delta', content_index: 0, delta: ' and\nmore' },
        { type: 'response.output_text.done', content_index: 0, text: 'Größe: 🦄 and\nmore' },
        { type: 'response.content_part.done', content_index: 0 },
      ],
    ),
    ...item(
      2,
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '' },
      [
        { type: 'response.function_call_arguments.delta', delta: '{"city": "Ro' },
        { type: 'response.function_call_arguments.delta', delta: 'me"}' },
        { type: 'response.function_call_arguments.done', arguments: '{"city": "Rome"}' },
      ],
      { arguments: '{"city": "Rome"}', status: 'completed' },
    ),
    {
      type: 'response.completed',
      response: {
        ...response,
        status: 'completed',
        incomplete_details: null,
        reasoning: { effort: 'high', context: 'auto' },
        usage: {
          input_tokens: 12,
          input_tokens_details: { cached_tokens: 4 },
          output_tokens: 42,
          output_tokens_details: { reasoning_tokens: 9 },
          total_tokens: 54,
        },
      },
    },
  ],
  google: [
    chunk([{ text: 'Let me', thought: true }]),
    chunk([{ text: ' look.', thought: true }], {}, { thoughtsTokenCount: 9 }),
    chunk([{ text: 'Größe: 🦄' }]),
    chunk([{ text: ' and\nmore' }]),
    chunk([{ text: '', thoughtSignature: 'c2lnbmVk' }]),
    chunk([
      {
        functionCall: { id: 'call-1', name: 'weather', args: { city: 'Rome' } },
        thoughtSignature: 'c2ln',
      },
      { functionCall: { name: 'search' } },
    ]),
    chunk(
      [{ text: '' }],
      { finishReason: 'STOP', finishMessage: 'done' },
      { serviceTier: 'standard' },
    ),
  ],
  'openai-chat': chat([]),
  'openai-compatible': thoughtful,
  'openai-compatible with media in results': thoughtful,
};
