import type { JsonObject } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { jsonSchema, parseArgs } from './schema.ts';

test('a schema without required fields has no required key, at any depth', () => {
  const schema = jsonSchema({
    type: 'object',
    required: null,
    properties: {
      inner: { type: 'object', properties: {}, required: [] },
      kept: { type: 'object', required: ['a'] },
    },
  });
  expect(schema).toEqual({
    type: 'object',
    properties: {
      inner: { type: 'object', properties: {} },
      kept: { type: 'object', required: ['a'], properties: {} },
    },
  });
});

test('a zod object without required fields has no required key either', () => {
  expect(jsonSchema(z.object({ a: z.string().optional() }))).toEqual({
    type: 'object',
    properties: { a: { type: 'string' } },
  });
});

test("the caller's schema is not modified", () => {
  const own = { type: 'object', required: null, properties: null };
  expect(jsonSchema(own)).toEqual({ type: 'object', properties: {} });
  expect(own).toEqual({ type: 'object', required: null, properties: null });
});

test('a field can have the name required', () => {
  const schema = { type: 'object', properties: { required: { type: 'boolean' } } };
  expect(jsonSchema(schema)).toEqual(schema);
});

test('the result names the problem of the arguments', () => {
  const zod = z.object({ path: z.string(), lines: z.number().optional() });
  expect(parseArgs(zod, { path: 'a' })).toEqual({ ok: true, args: { path: 'a' } });
  expect(parseArgs(zod, { lines: 'x' })).toMatchObject({
    ok: false,
    problem: expect.stringContaining('path: '),
  });

  const json = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  expect(parseArgs(json, { n: 1 })).toEqual({ ok: true, args: { n: 1 } });
  expect(parseArgs(json, { n: 'x' })).toMatchObject({
    ok: false,
    problem: expect.stringContaining('n: '),
  });
  expect(parseArgs(json, {})).toMatchObject({ ok: false, problem: expect.stringContaining('"n"') });
});

test('a required field with a default can be omitted', () => {
  const schema = {
    type: 'object',
    properties: {
      query: { type: 'string' },
      limit: { type: 'integer', default: 10 },
      page: { type: 'integer', default: 1 },
      sort: { $ref: '#/$defs/sort' },
      filters: { type: 'array', items: { $ref: '#/$defs/filter' } },
    },
    required: ['query', 'limit', 'sort'],
    $defs: {
      sort: { type: 'string', default: 'name' },
      filter: {
        allOf: [
          {
            type: 'object',
            properties: { op: { type: 'string', default: '=' } },
            required: ['op'],
          },
        ],
      },
    },
  };
  const args = { query: 'a', filters: [{ field: 'x' }, { op: '<' }] };
  expect(parseArgs(schema, args)).toEqual({
    ok: true,
    args: { query: 'a', limit: 10, sort: 'name', filters: [{ field: 'x', op: '=' }, { op: '<' }] },
  });
  expect(args).toEqual({ query: 'a', filters: [{ field: 'x' }, { op: '<' }] });
  expect(parseArgs(schema, { limit: 5 })).toMatchObject({ ok: false });
  expect(parseArgs(schema, { query: 'a', limit: null })).toMatchObject({ ok: false });
});

const fields = (a: object) => ({ type: 'object', properties: { a } }) as JsonObject;

/** Each definition references the next one twice: 2^64 checks. */
const NESTED: JsonObject = {
  $ref: '#/$defs/0',
  $defs: Object.fromEntries([
    ...Array.from({ length: 64 }, (_, at) => {
      const $ref = `#/$defs/${at + 1}`;
      return [at, { anyOf: [{ $ref }, { $ref }] }];
    }),
    [64, false],
  ]),
};

test.each([
  ['a pattern', fields({ pattern: '^(a+)+$' }), { a: `${'a'.repeat(80)}!` }],
  ['a format', fields({ format: 'url' }), { a: `http://${'a'.repeat(80)}!` }],
  ['field names', { patternProperties: { '^(a+)+$': {} } }, { [`${'a'.repeat(80)}!`]: 1 }],
  ['references', NESTED, {}],
])('a check that does not terminate because of %s is stopped', (_, schema, args) => {
  const refusal = { ok: false, problem: expect.stringContaining('longer than 250 ms') };
  expect(parseArgs(schema, args)).toEqual(refusal);
});

test('a schema that is too slow repeatedly is no longer checked', () => {
  const schema = fields({ pattern: '^(a+)+$' });
  const slow = { a: `${'a'.repeat(80)}!` };
  expect(parseArgs(schema, slow)).toMatchObject({ ok: false });
  expect(parseArgs(schema, { a: 'aa' })).toMatchObject({ ok: true });
  for (let time = 0; time < 2; time += 1) parseArgs(schema, slow);
  expect(parseArgs(schema, { a: 'aa' })).toMatchObject({ ok: false });
});
