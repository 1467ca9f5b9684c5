import type { Answer, Finish } from '../answer.ts';
import type { EncodeContext } from '../dialect.ts';
import type { EventFrame, Frame } from '../frame.ts';
import type { Ids } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import type { AnswerPart, TextPart, ToolCallPart } from '../parts.ts';
import { joined, piecesToFrames } from '../frame.ts';
import { asText, isObject } from '../json.ts';
import { DONE, frame } from './chunk.ts';
import { usageOf } from './usage.ts';

const FINISH_REASONS: Record<Finish, string> = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
  pause: 'stop',
};

type ToDelta = (delta: JsonObject, finish?: string | null) => EventFrame;

export function encode(answer: Answer, { request, ids, created }: EncodeContext): Frame[] {
  const options = request.body['stream_options'];
  // A client that does not stream gets the usage in any case.
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

  const frames: Frame[] = [delta({ role: 'assistant', content: '', refusal: null })];
  let calls = 0;
  for (const part of answer.parts) {
    frames.push(...encodePart(part, calls, delta, ids));
    if (part.type === 'tool-call') calls++;
  }
  frames.push(delta({}, FINISH_REASONS[answer.finish]));
  if (wantsUsage) frames.push(chunk([], usageOf(answer)));
  return [...frames, DONE];
}

function encodePart(part: AnswerPart, call: number, delta: ToDelta, ids: Ids): Frame[] {
  if (part.type === 'gate') return [part];
  if (part.type === 'raw') return [{ type: 'event', data: part.data, part: true }];
  if (part.type === 'text') return textDeltas(part, delta);
  if (part.type === 'tool-call') return callDeltas(part, call, delta, ids);
  if (part.type === 'reasoning') {
    return piecesToFrames(part.pieces, (piece) => delta({ reasoning_content: piece }));
  }
  throw new TypeError(`OpenAI Chat Completions has no wire form for a ${part.type} part`);
}

function textDeltas(part: TextPart, delta: ToDelta): Frame[] {
  const frames = piecesToFrames(part.pieces, (content) => delta({ content }));
  if (part.citations.length === 0) return frames;
  const length = joined(part.pieces).length;
  const annotations = part.citations.map((citation) => ({
    type: 'url_citation',
    url_citation: {
      url: citation.url,
      title: citation.title ?? '',
      start_index: citation.start ?? 0,
      end_index: citation.end ?? length,
    },
  }));
  return [...frames, delta({ annotations })];
}

function callDeltas(part: ToolCallPart, index: number, delta: ToDelta, ids: Ids): Frame[] {
  const opening = {
    index,
    id: part.id ?? ids('call'),
    type: 'function',
    function: { name: part.name, arguments: '' },
  };
  const deltas = piecesToFrames(part.pieces, (piece) =>
    delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
  );
  return [delta({ tool_calls: [opening] }), ...deltas];
}
