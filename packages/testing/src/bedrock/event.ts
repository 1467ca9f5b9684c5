import type { EventFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import { asObject } from '../json.ts';

/** An event is an object with one field, its name; on the wire the name is a header. */
export function frame(event: JsonObject): EventFrame {
  const [[name, data] = ['', {}]] = Object.entries(event);
  return { type: 'event', name, data, part: hasContent(asObject(data)) };
}

function hasContent(data: JsonObject): boolean {
  const { text, reasoningContent, toolUse } = asObject(data['delta']);
  const thought = asObject(reasoningContent)['text'];
  return Boolean(text) || Boolean(thought) || Boolean(asObject(toolUse)['input']);
}
