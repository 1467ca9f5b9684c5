import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ansiRuns } from './ansi-runs.ts';

const ESC = '\u001B';
const textOf = (output: string) =>
  ansiRuns(output)
    .map(({ text }) => text)
    .join('');

test('colors and weights become runs', () => {
  expect(ansiRuns(`${ESC}[1;31mfailed${ESC}[0m: ok`)).toEqual([
    { text: 'failed', bold: true, color: 1 },
    { text: ': ok' },
  ]);
  expect(ansiRuns(`${ESC}[38;5;196ma${ESC}[48;2;1;2;3mb${ESC}[97mc`)).toEqual([
    { text: 'a', color: 'rgb(255 0 0)' },
    { text: 'b', color: 'rgb(255 0 0)', background: 'rgb(1 2 3)' },
    { text: 'c', color: 15, background: 'rgb(1 2 3)' },
  ]);
});

test('a progress bar is shown in its final state', () => {
  expect(textOf('10 %\r50 %\r100 %\r\ndone')).toBe('100 %\ndone');
  expect(textOf('abc\b\bX')).toBe('aX');
});

test('titles, links, cursor moves and truncated sequences are removed', () => {
  expect(
    textOf(`${ESC}]0;owned\u0007a${ESC}]8;;javascript:alert(1)${ESC}\\b${ESC}]8;;${ESC}\\c`),
  ).toBe('abc');
  expect(textOf(`${ESC}[2J${ESC}[10;10Ha${ESC}P1$r${ESC}\\b${ESC}(Bc${ESC}[?25l`)).toBe('abc');
  expect(textOf(`a${ESC}]52;c;aGk=`)).toBe('a');
  expect(textOf(`a${ESC}[38;5;`)).not.toContain(ESC);
});

test('no input leaves a control character', () => {
  const unit = fc.constantFrom(
    ESC,
    '[',
    ']',
    ';',
    '3',
    '8',
    'm',
    '\r',
    '\n',
    '\b',
    'x',
    '\u009B',
    '\u0007',
    '\u202E',
    'P',
    '\\',
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 60 }), (output) => {
      // oxlint-disable-next-line no-control-regex -- the test looks for control characters
      expect(textOf(output)).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E]/);
    }),
    { numRuns: 500 },
  );
});
