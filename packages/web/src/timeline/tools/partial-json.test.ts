import { assert, dictionary, jsonValue, nat, pre, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { partialObject } from './partial-json.ts';

test('an incomplete string is shown up to its end', () => {
  expect(partialObject('{"command":"npm te')).toEqual({ command: 'npm te' });
  expect(partialObject('{"path":"a.ts","content":"x\\n')).toEqual({ path: 'a.ts', content: 'x\n' });
});

test('a member without a value is left out', () => {
  expect(partialObject('{"path":"a.ts","cont')).toEqual({ path: 'a.ts' });
  expect(partialObject('{"path":"a.ts",')).toEqual({ path: 'a.ts' });
  expect(partialObject('{"path":"a.ts","limit":')).toEqual({ path: 'a.ts' });
  expect(partialObject('')).toEqual({});
});

test('an incomplete escape sequence is not shown', () => {
  expect(partialObject('{"command":"a\\')).toEqual({ command: 'a' });
  expect(partialObject('{"command":"a\\u00')).toEqual({ command: 'a' });
});

test('nested values are closed', () => {
  expect(partialObject('{"files":[{"path":"a","edits":[{"old_text":"x')).toEqual({
    files: [{ path: 'a', edits: [{ old_text: 'x' }] }],
  });
});

test('no prefix of an object throws, and the whole text is the object', () => {
  assert(
    property(dictionary(string(), jsonValue()), nat(), (value, cut) => {
      const text = JSON.stringify(value);
      partialObject(text.slice(0, cut % (text.length + 1)));
      pre(text.length <= 4096);
      expect(partialObject(text)).toEqual(JSON.parse(text));
    }),
  );
});
