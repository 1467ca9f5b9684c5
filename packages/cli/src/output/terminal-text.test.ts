import { expect, test } from 'vitest';
import { styledText, terminalText } from './terminal-text.ts';

test.each([
  ['plain 漢字 👩‍👩‍👧 e\u0301\n\ttext', 'plain 漢字 👩‍👩‍👧 e\u0301\n\ttext'],
  ['\u001B[31mred\u001B[0m', 'red'],
  ['\u001B]0;title\u0007a\u001B]8;;http://x\u001B\\b', 'ab'],
  ['\u001B]52;c;c2VjcmV0\u0007', ''],
  ['\u001BP1$r\u001B\\x\u001B_apc\u001B\\y', 'xy'],
  ['\u009B31mc1\u009D0;t\u009Cx', 'c1x'],
  ['unfinished \u001B]0;title', 'unfinished '],
  ['lone \u001B', 'lone '],
  ['bell\u0007 back\b nul\0 del\u007F', 'bell back nul del'],
  ['one\r\ntwo\rthree', 'one\ntwo\nthree'],
  ['a\u202Eb\u2066c\u2069', 'abc'],
])('%j is %j', (text, clean) => {
  expect(terminalText(text)).toBe(clean);
});

test.each([
  [
    '\u001B[31mred\u001B[39m \u001B[1mbold\u001B[22m',
    '\u001B[31mred\u001B[39m \u001B[1mbold\u001B[22m',
  ],
  ['\u001B[8mconcealed\u001B[5mblinking', 'concealedblinking'],
  ['\u001B[2Jcleared\u001B]52;c;c2VjcmV0\u0007', 'cleared'],
  ['\u001B]0;ti\u001B[1mtle\u0007', '\u001B[1mtle'],
])('with styles, %j is %j', (text, clean) => {
  expect(styledText(text)).toBe(clean);
});

test('no combination of pieces forms a control sequence', () => {
  const pieces = [
    '\u001B',
    '[',
    ']',
    '0',
    ';',
    'm',
    '\u0007',
    '\\',
    '\u009B',
    'P',
    'x',
    '\u001B[',
    '\r',
  ];
  let seed = 7;
  const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648);
  for (let round = 0; round < 2000; round += 1) {
    const text = Array.from({ length: 12 }, () => pieces[next() % pieces.length]).join('');
    expect(terminalText(text)).toMatch(/^[^\p{Cc}]*(?:\n[^\p{Cc}]*)*$/u);
    const unstyled = styledText(text).replaceAll('\u001B[0m', '');
    expect(unstyled).toMatch(/^[^\p{Cc}]*(?:\n[^\p{Cc}]*)*$/u);
  }
});
