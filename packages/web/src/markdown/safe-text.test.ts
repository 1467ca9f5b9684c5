import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeText } from './safe-text.ts';

test('ordinary text of any language is unchanged', () => {
  for (const text of ['Hello\tworld\n', 'مرحبا بالعالم', 'ไม่เป็นไร', 'é ñ ü', '👩‍👩‍👧 ❤️', '日本語']) {
    expect(safeText(text)).toBe(text);
  }
});

test('bidirectional controls are shown by name', () => {
  expect(safeText('if (a\u202E) {\u2066')).toBe('if (a⟨U+202E⟩) {⟨U+2066⟩');
});

test('stacked combining marks are limited', () => {
  const zalgo = `a${'\u0301'.repeat(500)}b`;
  expect(safeText(zalgo)).toBe(`a${'\u0301'.repeat(4)}b`);
});

test('runs of invisible characters are shortened', () => {
  expect(safeText(`a${'\u200B'.repeat(10_000)}b`)).toBe('a\u200B\u200Bb');
});

test('control characters become pictures, line ends are kept', () => {
  expect(safeText('a\u001B[31mb\r\nc\u0000')).toBe('a␛[31mb\nc␀');
});

test('no input leaves a bidirectional control', () => {
  const unit = fc.constantFrom(
    'a',
    ' ',
    '\n',
    '\u202E',
    '\u2067',
    '\u0301',
    '\u200B',
    '\u0007',
    'ש',
  );
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      // oxlint-disable-next-line no-control-regex -- the test looks for control characters
      expect(safeText(text)).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u0000-\u0008]|\p{M}{5}/u);
    }),
  );
});
