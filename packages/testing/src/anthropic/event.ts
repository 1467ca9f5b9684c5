import type { EventFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import { asObject, asText } from '../json.ts';

/** Anthropic's SSE events are named after the type of their data. */
export function frame(data: JsonObject): EventFrame {
  return { type: 'event', name: asText(data['type']), data, part: hasContent(data) };
}

function hasContent(data: JsonObject): boolean {
  const { text, thinking, partial_json: json } = asObject(data['delta']);
  return Boolean(text) || Boolean(thinking) || Boolean(json);
}
