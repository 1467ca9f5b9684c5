import { isObject } from './json.ts';

/** Why a JSON schema is invalid, at any depth: `required` is not a list, or `properties` is not an object. */
export function schemaFault(schema: unknown, path = ''): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema)) return `${path || 'the schema'} is not a schema`;
  const { required, properties, items } = schema;
  if ('required' in schema && !isListOfNames(required)) {
    return `${path}required: ${JSON.stringify(required)} is not of type 'array'`;
  }
  if ('properties' in schema && !isObject(properties)) {
    return `${path}properties: ${JSON.stringify(properties)} is not of type 'object'`;
  }
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    const fault = schemaFault(property, `${path}properties.${name}.`);
    if (fault) return fault;
  }
  return isObject(items) ? schemaFault(items, `${path}items.`) : undefined;
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
