import type { JsonObject } from '../json.ts';
import { asText, isObject, objects } from '../json.ts';
import { schemaFault } from '../tool-schema.ts';

const NOT_AT_TOP = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'];

/** OpenAI's rules for function parameters. With `strict`, the model's output must match them exactly. */
export function parametersFault(parameters: unknown, strict: boolean): string | undefined {
  if (!isObject(parameters) || parameters['type'] !== 'object') {
    const type = isObject(parameters) ? asText(parameters['type']) : '';
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${type || 'None'}"'`;
  }
  if (NOT_AT_TOP.some((keyword) => keyword in parameters)) {
    return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level";
  }
  if (!('properties' in parameters)) return 'In context=(), object schema missing properties';
  return schemaFault(parameters) ?? nestedFault(parameters, [], strict);
}

type Path = readonly (string | number)[];

function nestedFault(schema: JsonObject, path: Path, strict: boolean): string | undefined {
  const { type, items, properties } = schema;
  if (type === 'array' && items === undefined) return `${context(path)}array schema missing items`;
  if (strict && type === 'object') {
    const fault = strictFault(schema);
    if (fault) return context(path) + fault;
  }
  const children: (readonly [JsonObject, Path])[] = [
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([name, child]) =>
      isObject(child) ? [[child, [...path, 'properties', name]] as const] : [],
    ),
    ...(isObject(items) ? [[items, [...path, 'items']] as const] : []),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((keyword) =>
      objects(schema[keyword]).map((child, index) => [child, [...path, keyword, index]] as const),
    ),
  ];
  for (const [child, at] of children) {
    const fault = nestedFault(child, at, strict);
    if (fault) return fault;
  }
  return undefined;
}

function strictFault({ additionalProperties, properties, required }: JsonObject) {
  if (additionalProperties !== false) {
    return "'additionalProperties' is required to be supplied and to be false";
  }
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const missing = Object.keys(isObject(properties) ? properties : {}).find(
    (name) => !names.includes(name),
  );
  return missing === undefined
    ? undefined
    : `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'`;
}

/** OpenAI prints the path as a Python tuple. */
function context(path: Path): string {
  const keys = path.map((key) => `'${key}'`);
  return `In context=(${keys.join(', ')}${keys.length === 1 ? ',' : ''}), `;
}
