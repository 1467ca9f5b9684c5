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

test('Enter sends, and Shift+Enter makes a new line', () => {
  expect(sendingKey(enter(), 'enter', false)).toBe('queue');
  expect(sendingKey(enter({ shift: true }), 'enter', false)).toBeUndefined();
});

test('with the main key held it steers, with Shift besides it interrupts', () => {
  expect(sendingKey(enter({ mod: true }), 'enter', false)).toBe('steer');
  expect(sendingKey(enter({ mod: true, shift: true }), 'enter', false)).toBe('interrupt');
});

test('who wants Enter to make a new line sends with the main key', () => {
  expect(sendingKey(enter(), 'mod+enter', false)).toBeUndefined();
  expect(sendingKey(enter({ mod: true }), 'mod+enter', false)).toBe('queue');
  expect(sendingKey(enter({ mod: true, shift: true }), 'mod+enter', false)).toBe('steer');
  expect(sendingKey(enter({ mod: true, alt: true }), 'mod+enter', false)).toBe('interrupt');
});

test('the Enter that picks a word of an input method never sends, whichever way a browser tells', () => {
  for (const way of [{ isComposing: true }, { keyCode: 229 }]) {
    for (const held of [{}, { mod: true }, { mod: true, shift: true }]) {
      expect(sendingKey(enter({ ...way, ...held }), 'enter', false)).toBeUndefined();
    }
  }
});

test('on a screen without other keys Enter makes a new line', () => {
  expect(sendingKey(enter(), 'enter', true)).toBeUndefined();
  expect(sendingKey(enter({ mod: true }), 'enter', true)).toBe('steer');
});
