import { ManualClock } from '@chatd/loop/testing';
import { expect, test } from 'vitest';
import { LiveOutput } from './live-output.ts';

function begin() {
  const clock = new ManualClock();
  const shown: string[] = [];
  const live = new LiveOutput(clock, (text) => shown.push(text));
  return { clock, shown, write: (text: string) => live.push(Buffer.from(text)), live };
}

test('lines are shown together, after a short delay', () => {
  const { clock, shown, write } = begin();
  write('one\n');
  write('two\n');
  expect(shown).toEqual([]);
  clock.advance(50);
  expect(shown).toEqual(['one\ntwo\n']);
});

test('a line is shown when it is complete, or after a second', () => {
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

test('remaining output is shown at the end, and later output is ignored', () => {
  const { clock, shown, write, live } = begin();
  write('last words');
  live.end();
  write('more');
  clock.advance(1000);
  expect(shown).toEqual(['last words']);
});

test('long output is truncated in the middle, and live output stops at a limit', () => {
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
