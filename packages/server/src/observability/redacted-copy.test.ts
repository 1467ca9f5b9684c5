import { expect, test } from 'vitest';
import { SecretValues } from '../secrets/secret-values.ts';
import { redactedCopy } from './redacted-copy.ts';

const secrets = new SecretValues();
secrets.add('sk-live-0123456789abcdef');
const LIMITS = { text: 20, total: 1000 };
const copy = (value: unknown, limits = LIMITS) => redactedCopy(value, secrets, limits);

test('short plain values are copied', () => {
  const value = { a: [1, true, null, 'x'], b: { c: 'y' } };
  expect(copy(value)).toEqual(value);
  expect(copy({ at: new Date(0), to: new URL('https://x.y/z'), left: undefined })).toEqual({
    at: '1970-01-01T00:00:00.000Z',
    to: 'https://x.y/z',
  });
});

test('known secrets are hidden in values and keys', () => {
  const value = { 'sk-live-0123456789abcdef': ['key sk-live-0123…', 'fine'] };
  expect(JSON.stringify(copy(value))).toBe('{"[hidden]":["key [hidden]…","fine"]}');
});

test('texts under keys that are named like secrets are hidden', () => {
  const headers = { Authorization: 'Bearer abc', 'x-api-key': 'abc', 'x-request-id': 'abc' };
  expect(copy({ headers, args: { password: 'abc', api_key: 'abc' } })).toEqual({
    headers: { Authorization: '[hidden]', 'x-api-key': '[hidden]', 'x-request-id': 'abc' },
    args: { password: '[hidden]', api_key: '[hidden]' },
  });
  const schema = { properties: { token: { type: 'string' } } };
  expect(copy(schema)).toEqual(schema);
});

test('encrypted fields are replaced by their length', () => {
  expect(copy([{ url: 'a', encryptedContent: 'x'.repeat(5000) }])).toEqual([
    { url: 'a', encryptedContent: '(5000 encrypted characters)' },
  ]);
});

test('media are replaced by their size', () => {
  const base64 = Buffer.alloc(300).toString('base64');
  expect(copy({ mediaType: 'image/png', data: base64 })).toEqual({
    mediaType: 'image/png',
    data: { bytes: 300 },
  });
  expect(copy({ mediaType: 'image/png', data: { type: 'data', data: Buffer.alloc(7) } })).toEqual({
    mediaType: 'image/png',
    data: { type: 'data', data: { bytes: 7 } },
  });
  expect(copy(new URL(`data:image/png;base64,${base64}`))).toBe('data:image/png (422 characters)');
});

test('a long text is truncated, and so is everything after the total limit', () => {
  expect(copy('x'.repeat(25))).toBe(`${'x'.repeat(20)}… (5 more characters)`);
  const list = copy(Array.from({ length: 100 }).fill('ten chars.'), { text: 20, total: 52 });
  expect(list).toEqual([...Array.from({ length: 5 }).fill('ten chars.'), '… (95 more)']);
});

test('a circular value is truncated as well', () => {
  const ring: { self?: unknown } = {};
  ring.self = ring;
  expect(JSON.stringify(copy(ring))).toMatch(/^(\{"self":)+"…"\}+$/);
});

test('__proto__ is a key like any other', () => {
  const copied = copy(JSON.parse('{"__proto__": {"polluted": true}}'));
  expect(JSON.stringify(copied)).toBe('{"__proto__":{"polluted":true}}');
  expect('polluted' in {}).toBe(false);
});
