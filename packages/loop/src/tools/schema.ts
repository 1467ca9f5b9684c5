import type { JSONSchema7 } from '@ai-sdk/provider';
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import type { Json, JsonObject } from '@chatd/protocol';
import { z } from 'zod';
import { DeadlineExceeded, withinDeadline } from './deadline.ts';
import { fillDefaults } from './fill-defaults.ts';
import type { ToolInput } from './tool.ts';

const isZod = (input: ToolInput): input is z.ZodType => '_zod' in input;

const schemas = new WeakMap<object, JSONSchema7>();

/** The schema in the provider's form, cached per tool. */
export function jsonSchema(input: ToolInput): JSONSchema7 {
  let schema = schemas.get(input);
  if (schema === undefined) {
    const json = isZod(input)
      ? (z.toJSONSchema(input, {
          target: 'draft-7',
          io: 'input',
          unrepresentable: 'any',
        }) as JsonObject)
      : input;
    const object: JsonObject = json['type'] === undefined ? { type: 'object', ...json } : json;
    schema = normalise(object, 0) as JSONSchema7;
    schemas.set(input, schema);
  }
  return schema;
}

const MAX_DEPTH = 64;
/** Keywords that contain values, not schemas. */
const VALUES = new Set(['default', 'const', 'enum', 'examples']);

/** Omits an empty `required`: OpenAI rejects null and lists it. */
function normalise(value: Json, depth: number): Json {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => normalise(item, depth + 1));
  const copy: JsonObject = {};
  const isObject = value['type'] === 'object';
  for (const [key, child] of Object.entries(value)) {
    // Inside `properties` these are field names, not keywords; a schema there is an object.
    if (key === 'required' && (child === null || (Array.isArray(child) && child.length === 0)))
      continue;
    if (key === 'properties' && child === null) continue;
    if (key === '$schema' && depth === 0) continue;
    copy[key] = VALUES.has(key) ? child : normalise(child, depth + 1);
  }
  if (isObject && copy['properties'] === undefined) copy['properties'] = {};
  return copy;
}

type Parsed = { ok: true; args: Json } | { ok: false; problem: string };

const validators = new WeakMap<object, Validator>();
const MAX_PROBLEMS = 5;
const DEADLINE_MS = 250;
/** Timeouts of the same schema before its tool is refused without another check. */
const MAX_TIMEOUTS = 3;
const timeouts = new WeakMap<object, number>();

/** Validates the arguments of a call against the tool's schema, if it has one. */
export function parseArgs(input: ToolInput | undefined, args: Json): Parsed {
  if (input === undefined) return { ok: true, args };
  if (isZod(input)) {
    const parsed = input.safeParse(args);
    if (parsed.success) return { ok: true, args: parsed.data as Json };
    return { ok: false, problem: parsed.error.issues.slice(0, MAX_PROBLEMS).map(line).join('; ') };
  }
  const count = timeouts.get(input) ?? 0;
  if (count >= MAX_TIMEOUTS) return { ok: false, problem: TOO_SLOW };
  try {
    return withinDeadline(DEADLINE_MS, () => checkArgs(input, args));
  } catch (error) {
    // An interrupted recursion can end as an overflow of the stack.
    if (!(error instanceof DeadlineExceeded || error instanceof RangeError)) throw error;
    timeouts.set(input, count + 1);
    return { ok: false, problem: TOO_SLOW };
  }
}

const TOO_SLOW = `validation took longer than ${DEADLINE_MS} ms. A pattern or format in the tool's schema needs too many steps for this input`;

/**
 * The schema comes from an MCP server or a client, so it is interpreted, never compiled to code. Patterns, formats and
 * nested references can take exponential time.
 */
function checkArgs(input: JsonObject, args: Json): Parsed {
  let validator = validators.get(input);
  if (validator === undefined) {
    validator = new Validator(jsonSchema(input) as Schema, '2020-12', false);
    validators.set(input, validator);
  }
  const filled = fillDefaults(jsonSchema(input) as Json, args);
  const { valid, errors } = validator.validate(filled);
  return valid ? { ok: true, args: filled } : { ok: false, problem: problemsOf(errors) };
}

const line = (issue: z.core.$ZodIssue) =>
  issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;

/** The innermost errors say what is wrong; the outer ones only follow from them. */
function problemsOf(errors: readonly OutputUnit[]): string {
  const inner = errors.filter((e) => !/^(?:properties|items|allOf|\$ref)$/.test(e.keyword));
  return (inner.length > 0 ? inner : errors)
    .slice(0, MAX_PROBLEMS)
    .map((e) => {
      const path = e.instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.');
      return path === '' ? e.error : `${path}: ${e.error}`;
    })
    .join('; ');
}
