import type { EventFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import { asObject, objects } from '../json.ts';

/** Google sends chunks as `data:` lines, without an end marker. */
export function frame(data: JsonObject): EventFrame {
  return { type: 'event', data, part: partsOf(data).some(hasContent) };
}

export function partsOf(chunk: JsonObject): JsonObject[] {
  return objects(chunk['candidates']).flatMap((candidate) =>
    objects(asObject(candidate['content'])['parts']),
  );
}

function hasContent(part: JsonObject): boolean {
  return Boolean(part['text']) || 'functionCall' in part || 'inlineData' in part;
}
