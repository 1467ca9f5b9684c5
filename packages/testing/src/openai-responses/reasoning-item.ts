import type { StreamFrame } from '../frame.ts';
import type { ReasoningPart } from '../parts.ts';
import type { EncodedItem, ItemPosition } from './item.ts';
import { joined, piecesToFrames } from '../frame.ts';
import { frame } from './event.ts';
import { asksFor, between } from './item.ts';

export function reasoningItem(
  part: ReasoningPart,
  { outputIndex, context }: ItemPosition,
): EncodedItem {
  const id = part.id ?? context.ids('rs');
  const text = joined(part.pieces);
  const asked = asksFor(context, 'reasoning.encrypted_content');
  const encrypted = part.encrypted ?? (asked ? context.ids('encrypted_reasoning') : undefined);
  const sealed = encrypted === undefined ? {} : { encrypted_content: encrypted };
  const item = { id, type: 'reasoning', ...sealed, summary: [] };
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return between(outputIndex, item, summaryFrames(part, id, outputIndex), { ...item, summary });
}

/** Undisclosed reasoning has an item, but no summary. */
function summaryFrames(part: ReasoningPart, id: string, outputIndex: number): StreamFrame[] {
  const text = joined(part.pieces);
  if (text === '') return part.pieces.filter((piece) => typeof piece !== 'string');
  const at = { item_id: id, output_index: outputIndex, summary_index: 0 };
  const type = 'response.reasoning_summary';
  const summary = { type: 'summary_text', text };
  return [
    frame({ type: `${type}_part.added`, ...at, part: { ...summary, text: '' } }),
    ...piecesToFrames(part.pieces, (delta) => frame({ type: `${type}_text.delta`, ...at, delta })),
    frame({ type: `${type}_text.done`, ...at, text }),
    frame({ type: `${type}_part.done`, ...at, part: summary }),
  ];
}
