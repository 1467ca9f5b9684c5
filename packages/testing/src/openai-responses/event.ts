import type { EventFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import { asText, isGiven } from '../json.ts';

const CONTENT = new Set([
  'response.output_text.delta',
  'response.refusal.delta',
  'response.reasoning_summary_text.delta',
  'response.reasoning_text.delta',
  'response.function_call_arguments.delta',
  'response.custom_tool_call_input.delta',
]);

/** SSE events are named after the type of their data. */
export function frame(data: JsonObject): EventFrame {
  const name = asText(data['type']);
  return { type: 'event', name, data, part: CONTENT.has(name) || carriesImage(data) };
}

function carriesImage(data: JsonObject): boolean {
  return (
    data['type'] === 'response.image_generation_call.partial_image' &&
    isGiven(data['partial_image_b64'])
  );
}
