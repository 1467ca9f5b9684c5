import { expect, test } from 'vitest';
import { returnPath } from './return-to.ts';

test.each([
  [undefined, '/'],
  ['', '/'],
  ['/chats/1?x=1#y', '/chats/1?x=1#y'],
  ['/a/../settings', '/settings'],
  ['https://evil.example', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['\\\\evil.example', '/'],
  ['/.//evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['settings', '/'],
  [`/${'x'.repeat(2000)}`, '/'],
])('%j continues at %j', (given, path) => {
  expect(returnPath(given)).toBe(path);
});
