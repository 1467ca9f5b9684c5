import type { JsonObject } from '../json.ts';
import type { TextPart } from '../parts.ts';
import type { EncodedItem, ItemPosition } from './item.ts';
import { joined, piecesToFrames } from '../frame.ts';
import { frame } from './event.ts';
import { between } from './item.ts';

export function messageItem(
  part: TextPart,
  { outputIndex, status, context }: ItemPosition,
): EncodedItem {
  const id = context.ids('msg');
  const at = { item_id: id, output_index: outputIndex, content_index: 0 };
  const text = joined(part.pieces);
  const annotations = annotationsOf(part, text.length);
  const empty = { type: 'output_text', annotations: [], logprobs: [], text: '' };
  const full = { ...empty, annotations, text };
  const deltas = piecesToFrames(part.pieces, (delta) =>
    frame({ type: 'response.output_text.delta', ...at, delta, logprobs: [] }),
  );
  const filling = [
    frame({ type: 'response.content_part.added', ...at, part: empty }),
    ...deltas,
    ...annotations.map((annotation, index) =>
      frame({
        type: 'response.output_text.annotation.added',
        ...at,
        annotation_index: index,
        annotation,
      }),
    ),
    frame({ type: 'response.output_text.done', ...at, text, logprobs: [] }),
    frame({ type: 'response.content_part.done', ...at, part: full }),
  ];
  const message = { id, type: 'message', status: 'in_progress', content: [], role: 'assistant' };
  return between(outputIndex, message, filling, { ...message, status, content: [full] });
}

function annotationsOf({ citations }: TextPart, length: number): JsonObject[] {
  return citations.map((citation) => ({
    type: 'url_citation',
    end_index: citation.end ?? length,
    start_index: citation.start ?? 0,
    title: citation.title ?? '',
    url: citation.url,
  }));
}
