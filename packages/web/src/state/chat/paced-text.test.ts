import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { PacedText } from './paced-text.ts';

const shown = ({ stream }: PacedText) => stream.length;

test('a burst is revealed over the next frames', () => {
  const text = new PacedText();
  text.add('x'.repeat(700));
  text.advance();
  expect(shown(text)).toBe(100);
  let frames = 1;
  while (text.advance()) frames += 1;
  expect(shown(text)).toBe(700);
  expect(frames).toBeLessThan(40);
});

test('the backlog stays small and frames stay short', () => {
  const text = new PacedText();
  text.add('x'.repeat(1_000_000));
  let before = 0;
  let frames = 0;
  for (; text.advance(); frames += 1) {
    expect(shown(text) - before).toBeLessThanOrEqual(30_000);
    before = shown(text);
  }
  expect(frames).toBeLessThan(100);
  text.add('y'.repeat(9000));
  text.advance();
  expect(shown(text) - 1_000_000).toBeLessThanOrEqual(800);
});

test('no text is lost and no character is split', () => {
  const step = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant(undefined));
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const text = new PacedText();
      for (const piece of steps) {
        if (piece === undefined) text.advance();
        else text.add(piece);
      }
      text.end();
      const all = steps.filter((piece) => piece !== undefined).join('');
      expect(text.text()).toBe(all);
      expect(shown(text)).toBe(all.length);
    }),
  );
});
