import type { EventFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import { isObject, objects } from '../json.ts';

/** OpenAI Chat Completions frames events by `data:` alone. */
export function frame(data: JsonObject): EventFrame {
  return { type: 'event', data, part: objects(data['choices']).some(hasContent) };
}

function hasContent({ delta }: JsonObject): boolean {
  if (!isObject(delta)) return false;
  const { content, reasoning_content: reasoning, tool_calls: calls } = delta;
  return Boolean(content) || Boolean(reasoning) || objects(calls).some(hasArguments);
}

function hasArguments(call: JsonObject): boolean {
  return isObject(call['function']) && Boolean(call['function']['arguments']);
}

export const DONE: EventFrame = { type: 'event', data: '[DONE]', part: false };
