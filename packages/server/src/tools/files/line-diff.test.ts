import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineDiff } from './line-diff.ts';

const many = (word: string) => Array.from({ length: 2000 }, (_, i) => `${word}${i}\n`).join('');

test('a change is shown with what is around it', () => {
  const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].join('\n');
  const after = before.replace('5', 'five\nV');
  expect(lineDiff('n.txt', before, after)).toBe(
    '--- a/n.txt\n+++ b/n.txt\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+V\n 6\n 7\n 8\n',
  );
});

test('a new file has nothing before it, and the same text no diff', () => {
  expect(lineDiff('n', undefined, 'a\n')).toBe('--- /dev/null\n+++ b/n\n@@ -0,0 +1,1 @@\n+a\n');
  expect(lineDiff('n', 'a\n', 'a\n')).toBe('');
});

test('git makes the new text from the old one with any diff', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chatd-diff-'));
  const file = join(folder, 'f');
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 14 })
    .map((lines) => lines.map((line) => `${line}\n`).join(''));
  try {
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after && before !== '' && after !== '');
        writeFileSync(file, before);
        execFileSync('git', ['apply', '--unidiff-zero', '-'], {
          cwd: folder,
          input: lineDiff('f', before, after),
          stdio: ['pipe', 'ignore', 'pipe'],
        });
        expect(readFileSync(file, 'utf8')).toBe(after);
      }),
      { numRuns: 60 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('texts without anything in common are one replacement', () => {
  const diff = lineDiff('f', many('a'), many('b'));
  expect(diff.match(/^@@/gm)).toHaveLength(1);
});
