import type { JSONObject, JSONValue } from '@ai-sdk/provider';
import type { JsonSchema, TypeName } from './schema.ts';

/** A value for properties whose name matches, if the schema accepts it. */
export type Wish = readonly [property: RegExp, value: JSONValue];

type Schema = JsonSchema | boolean | undefined;

interface Filling {
  wishes: readonly Wish[];
  said: string;
  root: JsonSchema;
}

const MAX_DEPTH = 6;

/** Arguments that match a tool's schema, from the given values and the user's message, otherwise plausible ones. */
export function argumentsFor(
  schema: JsonSchema,
  { wishes = [], said = '' }: { wishes?: readonly Wish[]; said?: string } = {},
): JSONObject {
  const value = fill(schema, '', { wishes: [...wishes, ...COMMON], said, root: schema }, 0);
  return isObject(value) ? value : {};
}

function fill(given: Schema, name: string, filling: Filling, depth: number): JSONValue {
  const schema = resolve(given, filling.root, 0);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return ofEnum(schema.enum, filling.said);
  const wished = filling.wishes.find(([property]) => property.test(name))?.[1];
  const type = typeOf(schema);
  if (wished !== undefined && fits(wished, type)) {
    if (!Array.isArray(wished)) return wished;
    const items = itemsOf(schema);
    return wished.map((item) => element(item, items, filling, depth + 1));
  }
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.examples) && schema.examples[0] !== undefined) return schema.examples[0];
  switch (type) {
    case 'object':
      return depth >= MAX_DEPTH ? {} : object(schema, filling, depth);
    case 'array': {
      const count = Math.max(schema.minItems ?? 0, depth >= MAX_DEPTH ? 0 : 1);
      const items = itemsOf(schema);
      return Array.from({ length: count }, () => fill(items, singular(name), filling, depth + 1));
    }
    case 'number':
    case 'integer':
      return number(schema, type === 'integer', filling.said);
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'string':
      return string(schema, filling.said);
  }
}

function object(schema: JsonSchema, filling: Filling, depth: number): JSONObject {
  const required = new Set(schema.required);
  const entries = Object.entries(schema.properties ?? {});
  const chosen = entries.filter(([key, value], index) => {
    if (required.has(key)) return true;
    const wished = filling.wishes.find(([property]) => property.test(key));
    // Without required fields, the call gets only values that the user mentioned.
    if (required.size === 0 && index === 0 && wished === undefined) return true;
    return (
      wished !== undefined &&
      !COMMON.includes(wished) &&
      fits(wished[1], typeOf(resolve(value, filling.root, 0)))
    );
  });
  return Object.fromEntries(
    chosen.map(([key, value]) => [key, fill(value, key, filling, depth + 1)]),
  );
}

/** An element as it is, or as the label of an object. */
function element(item: JSONValue, given: Schema, filling: Filling, depth: number): JSONValue {
  const schema = resolve(given, filling.root, 0);
  if (typeOf(schema) !== 'object' || isObject(item)) return item;
  const wishes: Wish[] = [[/^(label|title|name|value|text|option)$/, item], ...filling.wishes];
  return fill(schema, '', { ...filling, wishes }, depth);
}

function resolve(schema: Schema, root: JsonSchema, hops: number): JsonSchema {
  if (schema === undefined || typeof schema === 'boolean' || hops > MAX_DEPTH) return {};
  if (schema.$ref !== undefined) return resolve(referred(schema.$ref, root), root, hops + 1);
  if (schema.allOf !== undefined) {
    const { allOf, ...rest } = schema;
    const all = [rest, ...allOf.map((part) => resolve(part, root, hops + 1))];
    return {
      ...Object.assign({}, ...all),
      properties: Object.assign({}, ...all.map((each) => each.properties)),
      required: all.flatMap((each) => each.required ?? []),
    };
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices === undefined) return schema;
  const { anyOf: _, oneOf: __, ...rest } = schema;
  const resolved = choices.map((choice) => resolve(choice, root, hops + 1));
  return { ...rest, ...resolved.find((choice) => typeOf(choice) !== 'null') };
}

function referred(ref: string, root: JsonSchema): Schema {
  const path = ref.replace(/^#\/?/, '').split('/').filter(Boolean);
  let at: unknown = root;
  for (const key of path) at = isRecord(at) ? at[key] : undefined;
  return isRecord(at) ? at : undefined;
}

function itemsOf({ items }: JsonSchema): Schema {
  return Array.isArray(items) ? items[0] : (items as Schema);
}

function typeOf({ type, properties, items, enum: values }: JsonSchema): TypeName {
  const named = Array.isArray(type) ? (type.find((each) => each !== 'null') ?? type[0]) : type;
  if (named !== undefined) return named;
  if (properties !== undefined) return 'object';
  if (items !== undefined) return 'array';
  return typeof values?.[0] === 'number' ? 'number' : 'string';
}

function fits(value: JSONValue, type: TypeName): boolean {
  if (Array.isArray(value)) return type === 'array';
  if (isObject(value)) return type === 'object';
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

/** The mentioned option, otherwise the first. */
function ofEnum(values: readonly JSONValue[], said: string): JSONValue {
  const text = said.toLowerCase();
  const mentioned = values.find(
    (value) => typeof value === 'string' && value !== '' && text.includes(value.toLowerCase()),
  );
  return mentioned ?? values[0] ?? null;
}

function number(schema: JsonSchema, whole: boolean, said: string): number {
  const mentioned = /-?\d+(?:\.\d+)?/.exec(said)?.[0];
  const value = mentioned === undefined ? 1 : Number(mentioned);
  const exclusive = whole ? 1 : Number.EPSILON;
  const low =
    schema.minimum ??
    (schema.exclusiveMinimum === undefined ? -Infinity : schema.exclusiveMinimum + exclusive);
  const high =
    schema.maximum ??
    (schema.exclusiveMaximum === undefined ? Infinity : schema.exclusiveMaximum - exclusive);
  const within = Math.min(high, Math.max(low, value));
  const rounded = whole ? Math.round(within) : within;
  const step = schema.multipleOf;
  return step === undefined || step <= 0 ? rounded : Math.ceil(rounded / step) * step;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
};

function string({ format, minLength, maxLength }: JsonSchema, said: string): string {
  const known = format === undefined ? undefined : FORMATS[format];
  if (known !== undefined) return known;
  const text = quotedIn(said) ?? (said.trim() === '' ? 'demo' : said.trim().slice(0, 200));
  return text.slice(0, maxLength ?? text.length).padEnd(minLength ?? 0, '.');
}

/** Text in quotes or backticks. */
export function quotedIn(said: string): string | undefined {
  return /[`"“](.+?)[`"”]/su.exec(said)?.[1];
}

const singular = (name: string): string => name.replace(/s$/, '');

/** Typical values for properties with these names. */
const COMMON: readonly Wish[] = [
  [/^(path|file|file_?name|file_?path)$/i, 'demo/hello.md'],
  [/^(url|uri|link)$/i, 'https://example.com/'],
  [/^(email|mail)$/i, 'someone@example.com'],
  [/^(time_?zone|tz)$/i, 'Europe/Lisbon'],
  [/^(currency)$/i, 'EUR'],
  [/^(language|locale|lang)$/i, 'en'],
  [/^(timeout|timeout_ms|timeout_seconds)$/i, 10],
];

const isObject = (value: JSONValue | undefined): value is JSONObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
