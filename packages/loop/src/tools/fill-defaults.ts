import type { Json, JsonObject } from '@chatd/protocol';

const MAX_DEPTH = 64;

/**
 * Adds missing required fields that have a default. Many servers generate such schemas, and models omit these fields.
 * Optional fields are left to the tool.
 */
export const fillDefaults = (schema: Json, args: Json): Json => fill(schema, args, schema, 0);

function fill(schema: Json | undefined, value: Json, root: Json, depth: number): Json {
  if (!isObject(schema) || depth > MAX_DEPTH) return value;
  const deeper = (part: Json | undefined, of: Json) => fill(part, of, root, depth + 1);
  const referred =
    typeof schema['$ref'] === 'string' ? deeper(at(root, schema['$ref']), value) : value;
  const parts = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  const all = parts.reduce((filled: Json, part) => deeper(part, filled), referred);
  if (Array.isArray(all)) return all.map((item) => deeper(schema['items'], item));
  return isObject(all) ? fillFields(schema, all, root, deeper) : all;
}

function fillFields(
  { properties, required }: JsonObject,
  value: JsonObject,
  root: Json,
  deeper: (schema: Json | undefined, value: Json) => Json,
): JsonObject {
  if (!isObject(properties)) return value;
  const needed = new Set<Json>(Array.isArray(required) ? required : []);
  const filled = { ...value };
  for (const [name, property] of Object.entries(properties)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const known = given ?? (needed.has(name) ? defaultOf(property, root) : undefined);
    if (given === null || known === undefined) continue;
    filled[name] = deeper(property, known);
  }
  return filled;
}

function defaultOf(property: Json, root: Json): Json | undefined {
  if (!isObject(property)) return undefined;
  if (property['default'] !== undefined) return property['default'];
  const referred = typeof property['$ref'] === 'string' ? at(root, property['$ref']) : undefined;
  return isObject(referred) ? referred['default'] : undefined;
}

/** A reference within the schema, such as `#/$defs/name`. Other references are not followed. */
function at(root: Json, reference: string): Json | undefined {
  if (!reference.startsWith('#/')) return undefined;
  let found: Json | undefined = root;
  for (const key of reference.slice(2).split('/')) {
    if (!isObject(found)) return undefined;
    found = found[key.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return found;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
