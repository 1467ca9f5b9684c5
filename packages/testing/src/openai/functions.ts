import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusal.ts';
import { duplicateIndex } from '../duplicate.ts';
import { asText } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { parametersFault } from './schema.ts';

const NAME = /^[a-zA-Z0-9_-]+$/;
const MAX_NAME = 64;

/** OpenAI's rules for a function definition at `param`. */
export function functionFault(definition: JsonObject, param: string): Refusal | undefined {
  const name = asText(definition['name']);
  if (name.length > MAX_NAME) {
    return badRequest(
      `Invalid '${param}.name': string too long. Expected a string with maximum length ${MAX_NAME}, but got a string with length ${name.length} instead.`,
      { param: `${param}.name`, code: 'string_above_max_length' },
    );
  }
  if (!NAME.test(name)) {
    return badRequest(
      `Invalid '${param}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      { param: `${param}.name`, code: 'invalid_value' },
    );
  }
  const { parameters, strict } = definition;
  const fault = parameters === undefined ? undefined : parametersFault(parameters, strict === true);
  return fault
    ? badRequest(`Invalid schema for function '${name}': ${fault}.`, {
        param: `${param}.parameters`,
        code: 'invalid_function_parameters',
      })
    : undefined;
}

/** OpenAI accepts two functions with the same name, but most compatible services do not. DeepSeek's wording. */
export function duplicateFault(names: readonly unknown[]): Refusal | undefined {
  return duplicateIndex(names) < 0
    ? undefined
    : badRequest('Tool names must be unique.', { param: 'tools' });
}
