import type { ScriptedAnswer, Finish } from '../answer.ts';
import type { EncodeContext } from '../dialect.ts';
import type { EventFrame, StreamFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import type { ToDelta } from '../openai-chat/deltas.ts';
import type { AnswerPart } from '../parts.ts';
import { asText } from '../json.ts';
import { DONE, frame } from '../openai-chat/chunk.ts';
import { callDeltas, textDeltas } from '../openai-chat/deltas.ts';
import { usageOf } from '../openai-chat/usage.ts';
import { headOf } from './head.ts';
import { reasoningDeltas } from './reasoning.ts';

const FINISH_REASONS: Record<Finish, string> = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
  pause: 'stop',
};

/** Sent while the model has no output yet. */
const WAITING: EventFrame = {
  type: 'event',
  data: undefined,
  comment: 'OPENROUTER PROCESSING',
  part: false,
};

export function encode(
  answer: ScriptedAnswer,
  { request, ids, created }: EncodeContext,
): StreamFrame[] {
  const model = answer.model ?? asText(request.body['model']);
  const head = headOf({ id: answer.responseId ?? ids('gen'), created, model });
  const delta: ToDelta = (delta, finish = null) =>
    frame({
      ...head,
      choices: [
        { index: 0, delta, finish_reason: finish, native_finish_reason: finish, logprobs: null },
      ],
    });
  const frames: StreamFrame[] = [WAITING, delta({ role: 'assistant', content: '' })];
  let calls = 0;
  for (const part of answer.parts) {
    frames.push(...encodePart(part, { calls, model, delta, ids }));
    if (part.type === 'tool-call') calls++;
  }
  const citations = citationsOf(answer);
  if (citations.length > 0) frames.push(delta({ content: '', annotations: citations }));
  frames.push(delta({ role: 'assistant', content: '' }, FINISH_REASONS[answer.finish]));
  // Usage is always included.
  const last = { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null };
  frames.push(frame({ ...head, choices: [last], usage: usage(answer) }));
  return [...frames, DONE];
}

interface Place {
  calls: number;
  model: string;
  delta: ToDelta;
  ids: EncodeContext['ids'];
}

function encodePart(part: AnswerPart, { calls, model, delta, ids }: Place): StreamFrame[] {
  if (part.type === 'gate') return [part];
  if (part.type === 'raw') return [{ type: 'event', data: part.data, part: true }];
  if (part.type === 'text') return textDeltas(part, delta);
  if (part.type === 'tool-call') return callDeltas(part, calls, delta, ids);
  if (part.type === 'reasoning') return reasoningDeltas(part, model, delta, ids);
  if (part.type === 'web-search') return [];
  throw new TypeError(`OpenRouter has no wire form for a ${part.type} part`);
}

/** A search appears only as its results. */
function citationsOf({ parts }: ScriptedAnswer): JsonObject[] {
  return parts
    .flatMap((part) => (part.type === 'web-search' ? part.results : []))
    .map(({ url, title = '' }) => ({
      type: 'url_citation',
      url_citation: { url, title, start_index: 0, end_index: 0, content: '' },
    }));
}

function usage(answer: ScriptedAnswer): JsonObject {
  const searches = answer.parts.filter((part) => part.type === 'web-search').length;
  return {
    ...usageOf(answer),
    cost: 0.000_42,
    is_byok: false,
    cost_details: { upstream_inference_cost: null },
    ...(searches > 0 && { server_tool_use: { web_search_requests: searches } }),
  };
}
