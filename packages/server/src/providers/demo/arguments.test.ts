import { expect, test } from 'vitest';
import { z } from 'zod';
import { argumentsFor } from './arguments.ts';
import type { JsonSchema } from './schema.ts';

const address = z.object({ street: z.string().min(3), zip: z.string().max(5) });

test.each<[string, z.ZodType]>([
  ['formats', z.object({ on: z.iso.date(), at: z.iso.datetime(), id: z.uuid(), mail: z.email() })],
  [
    'ranges',
    z.object({ a: z.int().min(10).max(12), b: z.number().lt(0), c: z.int().multipleOf(5) }),
  ],
  [
    'choices',
    z.object({ a: z.enum(['x', 'y']), b: z.literal(3), c: z.union([z.int(), z.string()]) }),
  ],
  ['nesting', z.object({ who: z.object({ home: address, others: z.array(address).min(2) }) })],
  ['nullable', z.object({ a: z.string().nullable(), b: z.boolean(), c: z.null() })],
  ['intersections', z.object({ both: z.intersection(z.object({ a: z.int() }), address) })],
  ['records', z.object({ labels: z.record(z.string(), z.string()) })],
])('arguments fit a schema with %s', (_, schema) => {
  const given = argumentsFor(z.toJSONSchema(schema) as JsonSchema, { said: 'find 42 things' });
  expect(schema.safeParse(given).error).toBeUndefined();
});

test('the arguments of a recursive schema are finite', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { child: { $ref: '#' }, name: { type: 'string' } },
    required: ['child', 'name'],
  };
  expect(argumentsFor(schema)).toMatchObject({ name: 'demo', child: { name: 'demo' } });
});

test('values in the message are used: an enum value, a number, a quoted text', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      size: { enum: ['small', 'large'] },
      count: { type: 'integer' },
      note: { type: 'string' },
    },
    required: ['size', 'count', 'note'],
  };
  expect(argumentsFor(schema, { said: 'order 7 large ones, "gift wrapped"' })).toEqual({
    size: 'large',
    count: 7,
    note: 'gift wrapped',
  });
});

test('a wish that does not fit an array is used for its items', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      command: { type: 'array', items: { type: 'string' } },
      quiet: { type: 'boolean' },
    },
    required: ['command'],
  };
  expect(argumentsFor(schema, { said: 'go', wishes: [[/^command$/, 'ls']] })).toEqual({
    command: ['ls'],
  });
});

const optional = (name: string): JsonSchema => ({
  type: 'object',
  properties: { [name]: { type: 'string' }, other: { type: 'string' } },
});

test('without required fields, the first field is filled, unless it is a path that the message does not mention', () => {
  expect(argumentsFor(optional('note'), { said: 'say "boo"' })).toEqual({ note: 'boo' });
  expect(argumentsFor(optional('path'), { said: 'list' })).toEqual({});
});
