import type { JsonObject } from '../json.ts';
import { asObject } from '../json.ts';

/** The last event of a stream carries the response whole. */
export function assemble(events: readonly JsonObject[]): JsonObject {
  return asObject(events.findLast((event) => event['response'] !== undefined)?.['response']);
}
