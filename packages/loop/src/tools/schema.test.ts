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

test("the caller's own schema is left as it is", () => {
  const own = { type: 'object', required: null, properties: null };
  expect(jsonSchema(own)).toEqual({ type: 'object', properties: {} });
  expect(own).toEqual({ type: 'object', required: null, properties: null });
});

test('a field may be called required', () => {
  const schema = { type: 'object', properties: { required: { type: 'boolean' } } };
  expect(jsonSchema(schema)).toEqual(schema);
});

test('what is wrong with the arguments is named', () => {
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
