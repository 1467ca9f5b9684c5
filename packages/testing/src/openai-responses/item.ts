import type { EncodeContext } from '../dialect.ts';
import type { StreamFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import { frame } from './event.ts';

/** The position of an output item, and how it ends. */
export interface ItemPosition {
  outputIndex: number;
  status: 'completed' | 'incomplete';
  context: EncodeContext;
}

export interface EncodedItem {
  frames: StreamFrame[];
  /** The finished item. Gates and raw events have none. */
  item?: JsonObject;
}

/** An item is announced, filled, and repeated as a whole. */
export function between(
  outputIndex: number,
  announced: JsonObject,
  filling: readonly StreamFrame[],
  item: JsonObject,
): EncodedItem {
  const at = { output_index: outputIndex };
  const added = frame({ type: 'response.output_item.added', ...at, item: announced });
  const done = frame({ type: 'response.output_item.done', ...at, item });
  return { frames: [added, ...filling, done], item };
}

export function asksFor({ request }: EncodeContext, included: string): boolean {
  const { include } = request.body;
  return Array.isArray(include) && include.includes(included);
}
