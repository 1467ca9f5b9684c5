import type { ScriptedAnswer, Finish } from '../answer.ts';
import type { EncodeContext } from '../dialect.ts';
import type { StreamFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import { frame } from './event.ts';
import { encodeItem } from './items.ts';
import { openResponse, usageOf } from './response.ts';

/** The status of an incomplete response. */
const INCOMPLETE: Partial<Record<Finish, string>> = {
  length: 'max_output_tokens',
  'content-filter': 'content_filter',
};

export function encode(answer: ScriptedAnswer, context: EncodeContext): StreamFrame[] {
  const opening = openResponse(answer, context);
  const frames: StreamFrame[] = [
    frame({ type: 'response.created', response: opening }),
    frame({ type: 'response.in_progress', response: opening }),
  ];
  const output: JsonObject[] = [];
  const reason = INCOMPLETE[answer.finish];
  const last = answer.parts.findLastIndex((part) => part.type !== 'gate');
  for (const [index, part] of answer.parts.entries()) {
    const status = reason !== undefined && index === last ? 'incomplete' : 'completed';
    const encoded = encodeItem(part, { outputIndex: output.length, status, context });
    frames.push(...encoded.frames);
    if (encoded.item) output.push(encoded.item);
  }
  const response = {
    ...opening,
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output,
    usage: usageOf(answer),
  };
  frames.push(frame({ type: `response.${response.status}`, response }));
  return numbered(frames);
}

function numbered(frames: readonly StreamFrame[]): StreamFrame[] {
  let next = 0;
  return frames.map((item) => {
    if (item.type !== 'event' || typeof item.data !== 'object' || item.data === null) return item;
    const { type, ...rest } = item.data as JsonObject;
    return { ...item, data: { type, sequence_number: next++, ...rest } };
  });
}
