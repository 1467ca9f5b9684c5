import type { JsonObject } from '../json.ts';
import { isObject, objects } from '../json.ts';

/** The subset of JSON Schema that `parameters` accepts. `parametersJsonSchema` accepts all of it. */
const KEYWORDS = new Set([
  'anyOf',
  'default',
  'description',
  'enum',
  'example',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'nullable',
  'pattern',
  'properties',
  'propertyOrdering',
  'required',
  'title',
  'type',
]);

/** Google's rules for `parameters` at `path`. */
export function parametersFault(schema: JsonObject, path: string): string | undefined {
  const unknown = Object.keys(schema).find((key) => !KEYWORDS.has(key));
  if (unknown !== undefined) {
    return `Invalid JSON payload received. Unknown name "${unknown}" at '${path}': Cannot find field.`;
  }
  const { type, items, properties, anyOf } = schema;
  if (Array.isArray(type)) {
    return `Invalid JSON payload received. Unknown name "type" at '${path}': Proto field is not repeating, cannot start list.`;
  }
  const is = (name: string) => String(type).toUpperCase() === name;
  if (is('ARRAY') && !isObject(items)) {
    return `* GenerateContentRequest.${path}.items: missing field.\n`;
  }
  const fields = Object.entries(isObject(properties) ? properties : {});
  if (is('OBJECT') && fields.length === 0) {
    return `* GenerateContentRequest.${path}.properties: should be non-empty for OBJECT type\n`;
  }
  const children: (readonly [unknown, string])[] = [
    ...fields.map(([, child], index) => [child, `${path}.properties[${index}].value`] as const),
    ...(isObject(items) ? [[items, `${path}.items`] as const] : []),
    ...objects(anyOf).map((child, index) => [child, `${path}.any_of[${index}]`] as const),
  ];
  for (const [child, at] of children) {
    const fault = isObject(child) ? parametersFault(child, at) : undefined;
    if (fault) return fault;
  }
  return undefined;
}
