import type { JsonObject } from '../json.ts';
import type { Rule } from '../refusal.ts';
import { objects } from '../json.ts';
import { badRequest } from '../refusal.ts';

const FIELDS: Record<string, readonly string[]> = {
  system: ['content', 'name'],
  developer: ['content', 'name'],
  user: ['content', 'name'],
  assistant: ['content', 'name', 'tool_calls', 'refusal', 'audio', 'function_call', 'annotations'],
  tool: ['content', 'tool_call_id'],
  function: ['content', 'name'],
};

/** Messages have the fields of their role, and those that a service adds. */
export function messageFields(added: readonly string[] = []): Rule<JsonObject> {
  return ({ messages }) => {
    for (const [index, message] of objects(messages).entries()) {
      const known = new Set([...(FIELDS[String(message['role'])] ?? []), ...added, 'role']);
      const unknown = Object.keys(message).find((key) => !known.has(key));
      if (unknown === undefined) continue;
      return badRequest(`Unknown parameter: 'messages[${index}].${unknown}'.`, {
        param: `messages[${index}].${unknown}`,
        code: 'unknown_parameter',
      });
    }
    return undefined;
  };
}
