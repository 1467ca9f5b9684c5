import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { matchesKeys, typesCharacter } from './keys.ts';

interface Held {
  readonly shift?: boolean;
  readonly alt?: boolean;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly altGr?: boolean;
}

const pressed = (key: string, code: string, held: Held = {}) => ({
  key,
  code,
  shiftKey: held.shift === true,
  altKey: held.alt === true || held.altGr === true,
  ctrlKey: held.ctrl === true || held.altGr === true,
  metaKey: held.meta === true,
  getModifierState: (name: string) => name === 'AltGraph' && held.altGr === true,
});

test('a combination matches exactly', () => {
  expect(matchesKeys(pressed('k', 'KeyK', { ctrl: true }), 'mod+k', false)).toBe(true);
  expect(matchesKeys(pressed('K', 'KeyK', { ctrl: true, shift: true }), 'mod+k', false)).toBe(
    false,
  );
  expect(matchesKeys(pressed('k', 'KeyK'), 'mod+k', false)).toBe(false);
  expect(matchesKeys(pressed('O', 'KeyO', { ctrl: true, shift: true }), 'mod+shift+o', false)).toBe(
    true,
  );
});

test('on a Mac, mod is ⌘ and not Ctrl', () => {
  expect(matchesKeys(pressed('k', 'KeyK', { meta: true }), 'mod+k', true)).toBe(true);
  expect(matchesKeys(pressed('k', 'KeyK', { ctrl: true }), 'mod+k', true)).toBe(false);
  expect(matchesKeys(pressed('¥', 'KeyY', { alt: true, meta: true }), 'mod+alt+y', true)).toBe(
    true,
  );
});

test('on a Mac, characters and accents that Option types are not combinations', () => {
  expect(typesCharacter(pressed('ń', 'KeyN', { alt: true }), true)).toBe(true);
  expect(typesCharacter(pressed('¥', 'KeyY', { alt: true }), true)).toBe(true);
  expect(typesCharacter(pressed('¥', 'KeyY', { alt: true, meta: true }), true)).toBe(false);
  expect(typesCharacter(pressed('Dead', 'KeyN', { alt: true }), true)).toBe(true);
  expect(typesCharacter(pressed('ArrowUp', 'ArrowUp', { alt: true }), true)).toBe(false);
  expect(typesCharacter(pressed('n', 'KeyN', { alt: true }), false)).toBe(false);
  // Outside of text fields, the accent is the key at its position.
  expect(matchesKeys(pressed('Dead', 'KeyN', { alt: true }), 'alt+n', true)).toBe(true);
});

test('the character of a key counts, not its position', () => {
  // Dvorak has T where QWERTY has K.
  expect(matchesKeys(pressed('t', 'KeyK', { ctrl: true }), 'mod+k', false)).toBe(false);
  expect(matchesKeys(pressed('k', 'KeyV', { ctrl: true }), 'mod+k', false)).toBe(true);
});

test('on non-Latin layouts, the position counts', () => {
  expect(matchesKeys(pressed('л', 'KeyK', { ctrl: true }), 'mod+k', false)).toBe(true);
});

test('a symbol matches however it is typed', () => {
  expect(matchesKeys(pressed('?', 'Slash', { shift: true }), '?', false)).toBe(true);
  expect(matchesKeys(pressed('?', 'KeyW', { altGr: true }), '?', false)).toBe(true);
  expect(matchesKeys(pressed('/', 'Digit7', { shift: true }), '/', false)).toBe(true);
  expect(matchesKeys(pressed('.', 'Comma', { ctrl: true, shift: true }), 'mod+.', false)).toBe(
    true,
  );
});

test('AltGr characters are not combinations with Ctrl and Alt', () => {
  expect(matchesKeys(pressed('k', 'KeyK', { altGr: true }), 'mod+alt+k', false)).toBe(false);
});

/** Keys that browsers reserve on some platform, or that users rely on. */
const RESERVED = new Set([
  ...['n', 't', 'w', 'q', 'r', 'l', 'p', 's', 'c', 'v', 'x', 'a', 'z', 'h', 'm', 'd', 'tab'].map(
    (key) => `mod+${key}`,
  ),
  ...['n', 't', 'w', 'q', 'r', 'p', 'i', 'j', 'c', 'v', 'z', 'tab', 'delete'].map(
    (key) => `mod+shift+${key}`,
  ),
  ...Array.from({ length: 10 }, (_, digit) => `mod+${digit}`),
  'alt+f4',
  'alt+arrowleft',
  'alt+arrowright',
  'f1',
  'f5',
  'f6',
  'f11',
  'f12',
]);

test('no command uses a reserved key', () => {
  const folder = join(import.meta.dirname, '..');
  const taken = globSync('**/*.{ts,tsx}', { cwd: folder, exclude: ['**/*.test.*'] }).flatMap(
    (file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/\bkeys: '([^']+)'/g)].map(
        ([, keys]) => `${keys} in ${file}`,
      ),
  );
  expect(taken.length).toBeGreaterThan(3);
  expect(taken.filter((use) => RESERVED.has(use.split(' ')[0] ?? ''))).toEqual([]);
});
