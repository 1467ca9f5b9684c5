import { expect, test } from 'vitest';
import { chordOf, keysymOf } from './keysyms.ts';

test.each([
  ['Return', [0xff0d]],
  ['ENTER', [0xff0d]],
  ['ctrl+s', [0xffe3, 0x73]],
  ['CTRL+A', [0xffe3, 0x61]],
  ['ctrl+shift+t', [0xffe3, 0xffe1, 0x54]],
  ['alt+F4', [0xffe9, 0xffc1]],
  ['+', [0x2b]],
  ['ctrl++', [0xffe3, 0x2b]],
  ['A', [0x41]],
  ['Page_Down', [0xff56]],
])('%s', (text, keysyms) => {
  expect(chordOf(text)).toEqual({ keysyms });
});

test('an unknown key is reported by name', () => {
  expect(chordOf('ctrl+Hyperspace')).toEqual({ unknown: 'Hyperspace' });
});

test('every character has a keysym', () => {
  expect(keysymOf('a')).toBe(0x61);
  expect(keysymOf('é')).toBe(0xe9);
  expect(keysymOf('€')).toBe(0x0100_20ac);
  expect(keysymOf('😀')).toBe(0x0101_f600);
  expect(keysymOf('\n')).toBe(0xff0d);
});
