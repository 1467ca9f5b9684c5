import type { ScriptedAnswer, Finish } from '../answer.ts';
import type { EncodeContext } from '../dialect.ts';
import type { StreamFrame } from '../frame.ts';
import type { Ids } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import type { AnswerPart } from '../parts.ts';
import type { ToDelta } from './deltas.ts';
import { piecesToFrames } from '../frame.ts';
import { asText, isObject } from '../json.ts';
import { DONE, frame } from './chunk.ts';
import { callDeltas, textDeltas } from './deltas.ts';
import { usageOf } from './usage.ts';

const FINISH_REASONS: Record<Finish, string> = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
  pause: 'stop',
};

export function encode(
  answer: ScriptedAnswer,
  { request, ids, created }: EncodeContext,
): StreamFrame[] {
  const options = request.body['stream_options'];
  // A non-streaming client always gets the usage.
  const wantsUsage =
    request.body['stream'] !== true || (isObject(options) && options['include_usage'] === true);
  const head = {
    id: answer.responseId ?? ids('chatcmpl'),
    object: 'chat.completion.chunk',
    created,
    model: answer.model ?? asText(request.body['model']),
    service_tier: 'default',
    system_fingerprint: 'fp_testing',
  };
  const chunk = (choices: JsonObject[], usage: JsonObject | null) =>
    frame({ ...head, choices, ...(wantsUsage && { usage }) });
  const delta: ToDelta = (delta, finish = null) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: finish }], null);

  const frames: StreamFrame[] = [delta({ role: 'assistant', content: '', refusal: null })];
  let calls = 0;
  for (const part of answer.parts) {
    frames.push(...encodePart(part, calls, delta, ids));
    if (part.type === 'tool-call') calls++;
  }
  frames.push(delta({}, FINISH_REASONS[answer.finish]));
  if (wantsUsage) frames.push(chunk([], usageOf(answer)));
  return [...frames, DONE];
}

function encodePart(part: AnswerPart, call: number, delta: ToDelta, ids: Ids): StreamFrame[] {
  if (part.type === 'gate') return [part];
  if (part.type === 'raw') return [{ type: 'event', data: part.data, part: true }];
  if (part.type === 'text') return textDeltas(part, delta);
  if (part.type === 'tool-call') return callDeltas(part, call, delta, ids);
  if (part.type === 'reasoning') {
    return piecesToFrames(part.pieces, (piece) => delta({ reasoning_content: piece }));
  }
  throw new TypeError(`OpenAI Chat Completions has no wire form for a ${part.type} part`);
}
