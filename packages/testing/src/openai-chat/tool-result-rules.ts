import type { JsonObject } from '../json.ts';
import type { Rule } from '../refusal.ts';
import { asObject, asText, objects } from '../json.ts';
import { stringFault } from '../openai/string-field.ts';
import { badRequest } from '../refusal.ts';

const NAME = /^[a-zA-Z0-9_-]+$/;
const MAX_ID = 40;

const wellFormedCalls: Rule<JsonObject> = ({ messages }) => {
  for (const [index, message] of objects(messages).entries()) {
    for (const [at, call] of objects(message['tool_calls']).entries()) {
      const path = `messages[${index}].tool_calls[${at}]`;
      const called = asObject(call['function']);
      const { length } = asText(call['id']);
      if (length > MAX_ID) {
        return badRequest(
          `Invalid '${path}.id': string too long. Expected a string with maximum length ${MAX_ID}, but got a string with length ${length} instead.`,
          { param: `${path}.id`, code: 'string_above_max_length' },
        );
      }
      if (!NAME.test(asText(called['name']))) {
        return badRequest(
          `Invalid '${path}.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
          { param: `${path}.function.name`, code: 'invalid_value' },
        );
      }
      const refusal = stringFault(called, 'arguments', `${path}.function`);
      if (refusal) return refusal;
    }
  }
  return undefined;
};

function callsOf(message: JsonObject | undefined): string[] {
  return objects(message?.['tool_calls']).map((call) => asText(call['id']));
}

/** The tool messages that directly follow the message at `index`. */
function resultsAfter(messages: readonly JsonObject[], index: number): string[] {
  const rest = messages.slice(index + 1);
  const end = rest.findIndex(({ role }) => role !== 'tool');
  return rest.slice(0, end < 0 ? rest.length : end).map((result) => asText(result['tool_call_id']));
}

const answeredCalls: Rule<JsonObject> = ({ messages }) => {
  const list = objects(messages);
  for (const [index, message] of list.entries()) {
    const results = resultsAfter(list, index);
    const open = callsOf(message).filter((id) => !results.includes(id));
    if (open.length === 0) continue;
    return badRequest(
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
        `The following tool_call_ids did not have response messages: ${open.join(', ')}`,
      { param: `messages.[${index}].role` },
    );
  }
  return undefined;
};

const noOrphanResults: Rule<JsonObject> = ({ messages }) => {
  let open = new Set<string>();
  for (const [index, message] of objects(messages).entries()) {
    if (message['role'] !== 'tool') {
      open = new Set(callsOf(message));
    } else if (!open.delete(asText(message['tool_call_id']))) {
      return badRequest(
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        { param: `messages.[${index}].role` },
      );
    }
  }
  return undefined;
};

const oneResultEach: Rule<JsonObject> = ({ messages }) => {
  const places = new Map<string, number>();
  for (const [index, message] of objects(messages).entries()) {
    const id = asText(message['tool_call_id']);
    if (message['role'] !== 'tool') {
      places.clear();
      continue;
    }
    const first = places.get(id);
    if (first !== undefined) {
      return badRequest(
        `Invalid parameter: Duplicate value for 'tool_call_id' of '${id}', in messages[${first}] and messages[${index}].`,
        { param: `messages.[${index}].tool_call_id` },
      );
    }
    places.set(id, index);
  }
  return undefined;
};

export const toolResultRules: readonly Rule<JsonObject>[] = [
  wellFormedCalls,
  oneResultEach,
  noOrphanResults,
  answeredCalls,
];
