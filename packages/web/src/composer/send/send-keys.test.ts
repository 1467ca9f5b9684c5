import { expect, test } from 'vitest';
import { type PressedKey, sendingKey } from './send-keys.ts';

const enter = (held: Partial<PressedKey> = {}): PressedKey => ({
  key: 'Enter',
  keyCode: 13,
  isComposing: false,
  mod: false,
  shift: false,
  alt: false,
  ...held,
});

test('Enter sends, Shift+Enter inserts a new line', () => {
  expect(sendingKey(enter(), 'enter', false)).toBe('queue');
  expect(sendingKey(enter({ shift: true }), 'enter', false)).toBeUndefined();
});

test('mod+Enter steers, mod+Shift+Enter interrupts', () => {
  expect(sendingKey(enter({ mod: true }), 'enter', false)).toBe('steer');
  expect(sendingKey(enter({ mod: true, shift: true }), 'enter', false)).toBe('interrupt');
});

test('with Enter for new lines, mod+Enter sends', () => {
  expect(sendingKey(enter(), 'mod+enter', false)).toBeUndefined();
  expect(sendingKey(enter({ mod: true }), 'mod+enter', false)).toBe('queue');
  expect(sendingKey(enter({ mod: true, shift: true }), 'mod+enter', false)).toBe('steer');
  expect(sendingKey(enter({ mod: true, alt: true }), 'mod+enter', false)).toBe('interrupt');
});

test('the Enter that ends an IME composition never sends, in any browser', () => {
  for (const way of [{ isComposing: true }, { keyCode: 229 }]) {
    for (const held of [{}, { mod: true }, { mod: true, shift: true }]) {
      expect(sendingKey(enter({ ...way, ...held }), 'enter', false)).toBeUndefined();
    }
  }
});

test('on-screen keyboards insert a new line with Enter', () => {
  expect(sendingKey(enter(), 'enter', true)).toBeUndefined();
  expect(sendingKey(enter({ mod: true }), 'enter', true)).toBe('steer');
});
