import type { EventFrame, StreamFrame } from '../frame.ts';
import type { Ids } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import type { TextPart, ToolCallPart } from '../parts.ts';
import { joined, piecesToFrames } from '../frame.ts';

/** Wraps a delta in a chunk. */
export type ToDelta = (delta: JsonObject, finish?: string | null) => EventFrame;

export function textDeltas(part: TextPart, delta: ToDelta): StreamFrame[] {
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

export function callDeltas(
  part: ToolCallPart,
  index: number,
  delta: ToDelta,
  ids: Ids,
): StreamFrame[] {
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
