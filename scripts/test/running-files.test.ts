import { expect, test } from 'vitest';
import { RunningFiles } from '../running-files.ts';

const MINUTE = 60_000;

test('a file that is at the same test for minutes is named, with the test', () => {
  const files = new RunningFiles();
  files.began('slow.test.ts', 0);
  files.at('slow.test.ts', 'takes its time', 10_000);
  expect(files.lines(MINUTE)).toEqual([]);
  expect(files.lines(2.5 * MINUTE)).toEqual(['… slow.test.ts, for 2 min: takes its time']);
});

test('a file that loads, or is between its tests, is named without one', () => {
  const files = new RunningFiles();
  files.began('slow.test.ts', 0);
  expect(files.lines(MINUTE)).toEqual(['… slow.test.ts, for 1 min: what its tests need']);
});

test('a file whose tests end in time is not named, nor one that has ended', () => {
  const files = new RunningFiles();
  files.began('many.test.ts', 0);
  files.began('over.test.ts', 0);
  files.at('many.test.ts', 'the last of many', 5 * MINUTE);
  files.ended('over.test.ts');
  expect(files.lines(5 * MINUTE + 1)).toEqual([]);
});
