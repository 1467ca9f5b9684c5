/** The subset of JSON Schema in the OpenAPI document. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export type Shapes = Readonly<Record<string, Schema>>;

/** Display name of a schema. Request and response variants share one name. */
export function shapeName(ref: string): string {
  const name = ref.slice(ref.lastIndexOf('/') + 1).replace(/Output$/, '');
  return name.startsWith('__') ? 'Json' : name;
}

export const alternatives = (schema: Schema): readonly Schema[] | undefined =>
  schema.anyOf ?? schema.oneOf;

/** A short description of the type and its limits. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = shapeName(schema.$ref);
    return name === 'Json' ? 'any JSON' : `[${name}](#${name.toLowerCase()})`;
  }
  const some = alternatives(schema);
  if (some !== undefined) return [...new Set(some.map(typeOf))].join(' or ');
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (Array.isArray(schema.type)) {
    const { type, ...rest } = schema;
    return type.map((one: string) => typeOf({ ...rest, type: one })).join(' or ');
  }
  switch (schema.type) {
    case 'array':
      return listOf(schema);
    case 'string':
      return `${stringWord(schema)}${limits(lengthOf(schema))}`;
    case 'integer':
    case 'number':
      return `${schema.type === 'integer' ? 'integer' : 'number'}${limits(rangeOf(schema))}`;
    case 'object':
      return mapOf(schema) ?? 'object';
    case undefined:
      return 'any JSON';
    default:
      return String(schema.type);
  }
}

function listOf({ items = {}, minItems, maxItems }: Schema): string {
  const range = between(minItems, maxItems);
  return `list of ${typeOf(items)}${limits(range === '' ? '' : `${range} items`)}`;
}

/** An object with arbitrary keys. */
function mapOf({ properties, additionalProperties }: Schema): string | undefined {
  if (properties !== undefined && Object.keys(properties).length > 0) return undefined;
  if (typeof additionalProperties !== 'object') return undefined;
  return `object of ${typeOf(additionalProperties)}`;
}

const FORMATS: Readonly<Record<string, string>> = { uuid: 'id', 'date-time': 'time', uri: 'URL' };

const stringWord = ({ format }: Schema): string => FORMATS[format ?? ''] ?? 'text';

function lengthOf({ minLength, maxLength }: Schema): string {
  const range = between(minLength, maxLength);
  return range === '' ? '' : `${range} characters`;
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: Schema): string {
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + 1);
  return between(
    least === Number.MIN_SAFE_INTEGER ? undefined : least,
    maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum,
  );
}

function between(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) {
    return least === most ? number(least) : `${number(least)} to ${number(most)}`;
  }
  if (most !== undefined) return `at most ${number(most)}`;
  return least === undefined ? '' : `at least ${number(least)}`;
}

const number = (value: number) => value.toLocaleString('en-US');
const limits = (words: string) => (words === '' ? '' : `, ${words}`);

/** Inline code for a table cell, with escaped bars. */
export const code = (value: unknown) =>
  `\`${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('|', '\\|')}\``;
