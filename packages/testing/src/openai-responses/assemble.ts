import type { JsonObject } from '../json.ts';
import { asObject } from '../json.ts';

/** The last event of a stream contains the complete response. */
export function assemble(events: readonly JsonObject[]): JsonObject {
  return asObject(events.findLast((event) => event['response'] !== undefined)?.['response']);
}
