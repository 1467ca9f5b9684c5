import type { EventFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import { isObject, objects } from '../json.ts';

/** OpenAI Chat Completions sends events as `data:` lines. */
export function frame(data: JsonObject): EventFrame {
  return { type: 'event', data, part: objects(data['choices']).some(hasContent) };
}

function hasContent({ delta }: JsonObject): boolean {
  if (!isObject(delta)) return false;
  const { content, reasoning, reasoning_content: thought, tool_calls: calls } = delta;
  const words = Boolean(content) || Boolean(reasoning) || Boolean(thought);
  return words || objects(calls).some(hasArguments);
}

function hasArguments(call: JsonObject): boolean {
  return isObject(call['function']) && Boolean(call['function']['arguments']);
}

export const DONE: EventFrame = { type: 'event', data: '[DONE]', part: false };
