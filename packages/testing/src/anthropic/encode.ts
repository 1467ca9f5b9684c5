import type { ScriptedAnswer, Finish } from '../answer.ts';
import type { EncodeContext } from '../dialect.ts';
import type { StreamFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import { asText, objects } from '../json.ts';
import { encodeBlocks } from './blocks.ts';
import { frame } from './event.ts';

const STOP_REASONS: Record<Finish, string> = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'refusal',
  pause: 'pause_turn',
};

export function encode(answer: ScriptedAnswer, { request, ids }: EncodeContext): StreamFrame[] {
  const message = {
    id: answer.responseId ?? ids('msg'),
    type: 'message',
    role: 'assistant',
    model: answer.model ?? asText(request.body['model']),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...promptUsage(answer), output_tokens: 1, service_tier: 'standard' },
  };
  const frames: StreamFrame[] = [frame({ type: 'message_start', message })];
  let index = 0;
  for (const part of answer.parts) {
    const blocks = encodeBlocks(part, index, ids, objects(request.body['tools']));
    frames.push(...blocks.frames);
    index += blocks.count;
  }
  frames.splice(firstBlock(frames), 0, frame({ type: 'ping' }));
  const delta = { stop_reason: STOP_REASONS[answer.finish], stop_sequence: null };
  frames.push(frame({ type: 'message_delta', delta, usage: finalUsage(answer) }));
  frames.push(frame({ type: 'message_stop' }));
  return frames;
}

/** The service sends its first ping after the start of the first block. */
function firstBlock(frames: readonly StreamFrame[]): number {
  const found = frames.findIndex(
    (frame) => frame.type === 'event' && frame.name === 'content_block_start',
  );
  return found < 0 ? 1 : found + 1;
}

function promptUsage({ usage, metadata }: ScriptedAnswer): JsonObject {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite,
      ephemeral_1h_input_tokens: 0,
    },
    ...metadata,
  };
}

function finalUsage(answer: ScriptedAnswer): JsonObject {
  const { usage } = answer;
  const searches = answer.parts.filter((part) => part.type === 'web-search').length;
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
    ...(usage.reasoning > 0 && { output_tokens_details: { thinking_tokens: usage.reasoning } }),
    ...(searches > 0 && {
      server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 },
    }),
    ...answer.metadata,
  };
}
