import type { EncodeContext } from '../dialect.ts';
import type { Frame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import { frame } from './event.ts';

/** Where an output item stands, and how it ends. */
export interface Place {
  outputIndex: number;
  status: 'completed' | 'incomplete';
  context: EncodeContext;
}

export interface EncodedItem {
  frames: Frame[];
  /** The finished item; a gate or a raw event has none. */
  item?: JsonObject;
}

/** An item is announced, filled, and repeated whole. */
export function between(
  outputIndex: number,
  announced: JsonObject,
  filling: readonly Frame[],
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
