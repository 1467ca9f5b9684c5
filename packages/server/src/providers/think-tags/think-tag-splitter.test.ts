import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ThinkTagSplitter } from './think-tag-splitter.ts';

/** The reasoning and the text of an answer that arrives in these pieces. */
function split(pieces: readonly string[]) {
  const splitter = new ThinkTagSplitter();
  const all = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
  const joined = (type: string) =>
    all
      .filter((piece) => piece.type === type)
      .map(({ text }) => text)
      .join('');
  return { reasoning: joined('reasoning'), text: joined('text') };
}

test.each([
  ['<think>Let me see.</think>\n\nFour.', 'Let me see.', 'Four.'],
  ['\n<think>\nHm\n</think>Four.', '\nHm\n', 'Four.'],
  ['Four.', '', 'Four.'],
  ['  indented', '', '  indented'],
  ['<thinly sliced', '', '<thinly sliced'],
  ['<thi', '', '<thi'],
  ['Use <think> and </think>.', '', 'Use <think> and </think>.'],
  ['<think>cut off </thi', 'cut off </thi', ''],
  ['<think></think>Four.', '', 'Four.'],
  ['<think>a</think> b <think>c</think>', 'a', 'b <think>c</think>'],
  ['<think>only', 'only', ''],
  ['<think>x</think>  ', 'x', ''],
  ['', '', ''],
])('%j', (whole, reasoning, text) => {
  expect(split([whole])).toEqual({ reasoning, text });
  expect(split(whole.split(''))).toEqual({ reasoning, text });
});

test('the result does not depend on how the text is split', () => {
  const word = fc.constantFrom('<think>', '</think>', '<', '/', 'think', '>', ' ', '\n', 'a', '😀');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), fc.array(fc.nat(40)), (words, cuts) => {
      const whole = words.join('');
      const at = [0, ...cuts.filter((cut) => cut < whole.length), whole.length].toSorted(
        (a, b) => a - b,
      );
      const pieces = at.slice(1).map((end, index) => whole.slice(at[index], end));
      expect(split(pieces)).toEqual(split([whole]));
    }),
  );
});

test('reasoning is passed on as it arrives', () => {
  const splitter = new ThinkTagSplitter();
  expect(splitter.push('<think>Let me')).toEqual([{ type: 'reasoning', text: 'Let me' }]);
});
