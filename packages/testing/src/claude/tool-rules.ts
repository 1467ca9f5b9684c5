import type { JsonObject } from '../json.ts';

const COMBINATIONS = ['oneOf', 'allOf', 'anyOf'];

export const DUPLICATE_NAMES = 'tools: Tool names must be unique.';

export const FORCED_WHILE_THINKING =
  'Thinking may not be enabled when tool_choice forces tool use.';

/** Unsupported keywords in the schema of a tool's input. */
export function inputSchemaFault(schema: JsonObject): string | undefined {
  return COMBINATIONS.some((keyword) => keyword in schema)
    ? 'input_schema does not support oneOf, allOf, or anyOf at the top level'
    : undefined;
}
