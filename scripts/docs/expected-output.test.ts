import { expect, test } from 'vitest';
import { printed } from './expected-output.ts';

test.each([
  ['one\ntwo\nthree\n', 'two', true],
  ['one\ntwo\nthree\n', 'two\nthree', true],
  ['one\ntwo\nthree\n', 'one\nthree', false],
  ['one\ntwo\nthree\n', 'one\n…\nthree', true],
  ['one\nthree\n', 'one\n…\nthree', true],
  ['{"id":"01a1","status":"waiting"}\n', '{"id":"…","status":"waiting"}', true],
  ['{"id":"01a1","status":"error"}\n', '{"id":"…","status":"waiting"}', false],
  ['a (b) [c] $1.00\n', 'a (b) [c] $1.00', true],
  ['onetwo\n', 'one', false],
  ['', 'one', false],
])('%j prints %j: %s', (output, shown, expected) => {
  expect(printed(output, shown)).toBe(expected);
});
