import { expect, test } from 'vitest';
import { hasValidParamHeaders } from './param-headers.ts';

const schema = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const header = (name: unknown, type = 'string') => ({ type, 'x-mcp-header': name });

test('headers of arguments are valid if their names are unique and their values simple', () => {
  expect(hasValidParamHeaders(schema({ a: header('Region'), b: header('Size', 'integer') }))).toBe(
    true,
  );
  expect(hasValidParamHeaders(schema({ a: schema({ b: header('Region') }) }))).toBe(true);
  expect(hasValidParamHeaders(schema({ 'x-mcp-header': { type: 'string' } }))).toBe(true);
});

test.each([
  schema({ a: header('') }),
  schema({ a: header('two words') }),
  schema({ a: header(1) }),
  schema({ a: header('Region', 'object') }),
  schema({ a: header('Region', 'number') }),
  schema({ a: header('Region'), b: header('region') }),
  schema({ a: { type: 'array', items: header('Region') } }),
  schema({}, { anyOf: [schema({ a: header('Region') })] }),
])('other headers are invalid: %j', (invalid) => {
  expect(hasValidParamHeaders(invalid)).toBe(false);
});
