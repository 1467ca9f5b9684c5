import type { JSONValue } from '@ai-sdk/provider';

export type TypeName = 'object' | 'array' | 'number' | 'integer' | 'boolean' | 'null' | 'string';

/** As much of JSON Schema as it takes to make a value that fits. */
export interface JsonSchema {
  type?: TypeName | readonly TypeName[];
  properties?: Readonly<Record<string, JsonSchema | boolean>>;
  required?: readonly string[];
  items?: JsonSchema | boolean | readonly (JsonSchema | boolean)[];
  minItems?: number;
  enum?: readonly JSONValue[];
  const?: JSONValue;
  default?: JSONValue;
  examples?: readonly JSONValue[];
  anyOf?: readonly (JsonSchema | boolean)[];
  oneOf?: readonly (JsonSchema | boolean)[];
  allOf?: readonly (JsonSchema | boolean)[];
  $ref?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
}
