import { expect, test } from 'vitest';
import { Allowlist } from './allowlist.ts';

const list = new Allowlist(['Example.org', '*.example.com', 'git.example.net:8443']);

test.each([
  ['example.org', 443],
  ['EXAMPLE.org.', 80],
  ['packages.example.com', 443],
  ['a.b.example.com', 443],
  ['git.example.net', 8443],
])('%s:%i is allowed', (host, port) => expect(list.allows(host, port)).toBe(true));

test.each([
  ['example.org', 22],
  ['sub.example.org', 443],
  ['example.org.evil.test', 443],
  ['evilexample.org', 443],
  ['example.com', 443],
  ['evil-example.com', 443],
  ['.example.com', 443],
  ['git.example.net', 443],
  ['', 443],
])('%s:%i is refused', (host, port) => expect(list.allows(host, port)).toBe(false));

test('* allows every host, on web ports only', () => {
  const all = new Allowlist(['*']);
  expect(all.allows('anything.example', 443)).toBe(true);
  expect(all.allows('anything.example', 25)).toBe(false);
});
