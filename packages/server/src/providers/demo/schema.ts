import type { JSONValue } from '@ai-sdk/provider';

export type TypeName = 'object' | 'array' | 'number' | 'integer' | 'boolean' | 'null' | 'string';

/** The subset of JSON Schema needed to generate a valid value. */
export interface JsonSchema {
  type?: TypeName | readonly TypeName[] | undefined;
  properties?: Readonly<Record<string, JsonSchema | boolean>> | undefined;
  required?: readonly string[] | undefined;
  items?: JsonSchema | boolean | readonly (JsonSchema | boolean)[] | undefined;
  minItems?: number | undefined;
  enum?: readonly JSONValue[] | undefined;
  const?: JSONValue | undefined;
  default?: JSONValue | undefined;
  examples?: JSONValue | undefined;
  anyOf?: readonly (JsonSchema | boolean)[] | undefined;
  oneOf?: readonly (JsonSchema | boolean)[] | undefined;
  allOf?: readonly (JsonSchema | boolean)[] | undefined;
  $ref?: string | undefined;
  format?: string | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  exclusiveMinimum?: number | undefined;
  exclusiveMaximum?: number | undefined;
  multipleOf?: number | undefined;
}
