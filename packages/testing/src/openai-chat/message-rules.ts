import type { JsonObject } from '../json.ts';
import type { Rule } from '../refusal.ts';
import { isBlank, isGiven, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

const someMessage: Rule<JsonObject> = ({ messages }) =>
  objects(messages).length === 0
    ? badRequest(
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        { param: 'messages', code: 'empty_array' },
      )
    : undefined;

const knownRoles: Rule<JsonObject> = ({ messages }) => {
  const list = objects(messages);
  const index = list.findIndex(({ role }) => !ROLES.has(String(role)));
  if (index < 0) return undefined;
  const supported = [...ROLES].map((role) => `'${role}'`).join(', ');
  return badRequest(
    `Invalid value: '${String(list[index]?.['role'])}'. Supported values are: ${supported}.`,
    { param: `messages[${index}].role`, code: 'invalid_value' },
  );
};

/**
 * OpenAI accepts blank text, but many compatible services do not. A call needs no text, and a tool result may be blank.
 */
const someContent: Rule<JsonObject> = ({ messages }) => {
  for (const [index, message] of objects(messages).entries()) {
    const { content } = message;
    if (Array.isArray(content) && content.length === 0) {
      return badRequest(
        `Invalid 'messages[${index}].content': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
        { param: `messages[${index}].content`, code: 'empty_array' },
      );
    }
    const calls = message['tool_calls'];
    if (Array.isArray(calls) && calls.length === 0) {
      return badRequest(
        `Invalid 'messages[${index}].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
        { param: `messages[${index}].tool_calls`, code: 'empty_array' },
      );
    }
    if (objects(calls).length > 0 || (message['role'] === 'tool' && isGiven(content))) continue;
    if (!isGiven(content)) {
      return badRequest(`Invalid value for 'content': expected a string, got null.`, {
        param: `messages.[${index}].content`,
      });
    }
    const blankPart = objects(content).some(
      (part) => part['type'] === 'text' && isBlank(part['text']),
    );
    if (blankPart || (typeof content === 'string' && isBlank(content))) {
      return badRequest('Each message must have at least one content element.', {
        param: `messages[${index}].content`,
      });
    }
  }
  return undefined;
};

export const messageRules: readonly Rule<JsonObject>[] = [someMessage, knownRoles, someContent];
