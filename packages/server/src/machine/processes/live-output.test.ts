import { ManualClock } from '@chatd/loop/testing';
import { expect, test } from 'vitest';
import { LiveOutput } from './live-output.ts';

function begin() {
  const clock = new ManualClock();
  const shown: string[] = [];
  const live = new LiveOutput(clock, (text) => shown.push(text));
  return { clock, shown, write: (text: string) => live.push(Buffer.from(text)), live };
}

test('lines are shown together, a moment after they came', () => {
  const { clock, shown, write } = begin();
  write('one\n');
  write('two\n');
  expect(shown).toEqual([]);
  clock.advance(50);
  expect(shown).toEqual(['one\ntwo\n']);
});

test('a line is shown whole, or when its end does not come', () => {
  const { clock, shown, write } = begin();
  write('begun');
  clock.advance(50);
  write(', ended\nand another');
  clock.advance(50);
  expect(shown).toEqual(['begun, ended\n']);
  clock.advance(1000);
  expect(shown).toEqual(['begun, ended\n', 'and another']);
  expect(clock.pending).toEqual([]);
});

test('what is left is shown at the end, and nothing after it', () => {
  const { clock, shown, write, live } = begin();
  write('last words');
  live.end();
  write('more');
  clock.advance(1000);
  expect(shown).toEqual(['last words']);
});

test('of very much the beginning and the end are shown, and at some time no more', () => {
  const { clock, shown, write } = begin();
  write(`${'x'.repeat(100_000)}\n`);
  clock.advance(50);
  expect(shown[0]).toContain('bytes omitted');
  expect(shown[0]!.length).toBeLessThan(20_000);
  for (let count = 0; count < 100; count++) {
    write(`${'y'.repeat(20_000)}\n`);
    clock.advance(50);
  }
  expect(shown.at(-1)).toMatch(/further output is not shown live …\]\n$/);
  expect(shown.join('').length).toBeLessThan(600_000);
});
