import { expect, test } from 'vitest';
import { RunningFiles } from '../running-files.ts';

const MINUTE = 60_000;

test('a file with a test that runs for minutes is listed with the test', () => {
  const files = new RunningFiles();
  files.began('slow.test.ts', 0);
  files.at('slow.test.ts', 'takes its time', 10_000);
  expect(files.lines(MINUTE)).toEqual([]);
  expect(files.lines(2.5 * MINUTE)).toEqual(['… slow.test.ts, for 2 min: takes its time']);
});

test('a file between tests is listed without a test', () => {
  const files = new RunningFiles();
  files.began('slow.test.ts', 0);
  expect(files.lines(MINUTE)).toEqual(['… slow.test.ts, for 1 min: setup']);
});

test('fast and finished files are not listed', () => {
  const files = new RunningFiles();
  files.began('many.test.ts', 0);
  files.began('over.test.ts', 0);
  files.at('many.test.ts', 'the last of many', 5 * MINUTE);
  files.ended('over.test.ts');
  expect(files.lines(5 * MINUTE + 1)).toEqual([]);
});

test('all running files are listed for a run that crashes', () => {
  const files = new RunningFiles();
  files.began('one.test.ts', 0);
  files.began('two.test.ts', 0);
  files.at('two.test.ts', 'takes all memory', 1);
  files.began('over.test.ts', 2);
  files.ended('over.test.ts');
  expect(files.all()).toEqual(['- one.test.ts: setup', '- two.test.ts: takes all memory']);
});
