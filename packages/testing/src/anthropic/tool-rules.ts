import type { JsonObject } from '../json.ts';
import type { AnthropicRule } from './rule.ts';
import { DUPLICATE_NAMES, FORCED_WHILE_THINKING, inputSchemaFault } from '../claude/tool-rules.ts';
import { duplicateIndex } from '../duplicate.ts';
import { asObject, asText, isObject, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { schemaFault } from '../tool-schema.ts';

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** Its members have names; the toolset has none. */
const isToolset = (tool: JsonObject) => asText(tool['type']).startsWith('computer_toolset_');

const legalNames: AnthropicRule = ({ body }) => {
  const index = objects(body['tools']).findIndex(
    (tool) => !isToolset(tool) && !NAME.test(asText(tool['name'])),
  );
  return index < 0
    ? undefined
    : badRequest(
        `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
      );
};

const uniqueNames: AnthropicRule = ({ body }) => {
  const names = objects(body['tools']).map((tool) => tool['name']);
  return duplicateIndex(names) < 0 ? undefined : badRequest(DUPLICATE_NAMES);
};

const validSchemas: AnthropicRule = ({ body }) => {
  for (const [index, tool] of objects(body['tools']).entries()) {
    // Provider-defined tools have a type and no schema.
    if (tool['type'] !== undefined && tool['type'] !== 'custom') continue;
    const at = `tools.${index}.custom.input_schema`;
    const schema = tool['input_schema'];
    if (!isObject(schema)) return badRequest(`${at}: Field required`);
    if (schema['type'] !== 'object') return badRequest(`${at}.type: Input should be 'object'`);
    const unsupported = inputSchemaFault(schema);
    if (unsupported) return badRequest(`${at}: ${unsupported}`);
    const fault = schemaFault(schema);
    if (fault) {
      return badRequest(
        `${at}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (${fault}).`,
      );
    }
  }
  return undefined;
};

const chosenTool: AnthropicRule = ({ body }) => {
  const choice = body['tool_choice'];
  if (!isObject(choice) || choice['type'] !== 'tool') return undefined;
  const known = objects(body['tools']).some((tool) => tool['name'] === choice['name']);
  return known
    ? undefined
    : badRequest(`Tool '${asText(choice['name'])}' not found in provided tools`);
};

const freeWhileThinking: AnthropicRule = ({ body }) => {
  const thinking = asObject(body['thinking'])['type'];
  const choice = asObject(body['tool_choice'])['type'];
  const thinks = thinking === 'enabled' || thinking === 'adaptive';
  return thinks && (choice === 'any' || choice === 'tool')
    ? badRequest(FORCED_WHILE_THINKING)
    : undefined;
};

export const toolRules: readonly AnthropicRule[] = [
  legalNames,
  uniqueNames,
  validSchemas,
  chosenTool,
  freeWhileThinking,
];
