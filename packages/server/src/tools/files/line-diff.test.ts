import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineDiff } from './line-diff.ts';

const many = (word: string) => Array.from({ length: 2000 }, (_, i) => `${word}${i}\n`).join('');

test('a change is shown with three lines of context', () => {
  const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].join('\n');
  const after = before.replace('5', 'five\nV');
  expect(lineDiff('n.txt', before, after)).toBe(
    '--- a/n.txt\n+++ b/n.txt\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+V\n 6\n 7\n 8\n',
  );
});

test('a new file is compared with /dev/null', () => {
  expect(lineDiff('n', undefined, 'a\n')).toBe('--- /dev/null\n+++ b/n\n@@ -0,0 +1,1 @@\n+a\n');
});

test('a long new file is one hunk', () => {
  const diff = lineDiff('n', undefined, many('a'));
  expect(diff).toMatch(/^--- \/dev\/null\n\+\+\+ b\/n\n@@ -0,0 \+1,2000 @@\n\+a0\n/);
  expect(diff.split('\n')).toHaveLength(2004);
});

test('a new empty file has a diff without hunks', () => {
  expect(lineDiff('n', undefined, '')).toBe('--- /dev/null\n+++ b/n\n');
});

test('equal texts have an empty diff', () => {
  expect(lineDiff('n', 'a\n', 'a\n')).toBe('');
});

test('a change of the final newline alone is shown', () => {
  const head = '--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n';
  expect(lineDiff('f', 'a', 'a\n')).toBe(`${head}-a\n\\ No newline at end of file\n+a\n`);
  expect(lineDiff('f', 'a\n', 'a')).toBe(`${head}-a\n+a\n\\ No newline at end of file\n`);
});

test('a change of line endings alone is shown', () => {
  expect(lineDiff('f', 'a\r\n', 'a\n')).toBe('--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\r\n+a\n');
});

test('a name outside ASCII stays readable', () => {
  expect(lineDiff('größe.txt', 'a\n', 'b\n')).toContain('--- a/größe.txt\n+++ b/größe.txt\n@@');
});

/** Lets git apply the diff to the old text. */
function applied(folder: string, before: string, after: string): string {
  const file = join(folder, 'f');
  writeFileSync(file, before);
  execFileSync('git', ['apply', '--unidiff-zero', '-'], {
    cwd: folder,
    input: lineDiff('f', before, after),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  return readFileSync(file, 'utf8');
}

function inFolder(run: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'chatd-diff-'));
  try {
    run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('git applies any diff', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 14 });
  const text = fc
    .tuple(lines, fc.constantFrom('', 'end'))
    .map(([some, end]) => some.map((line) => `${line}\n`).join('') + end);
  inFolder((folder) => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after && before !== '' && after !== '');
        expect(applied(folder, before, after)).toBe(after);
      }),
      { numRuns: 60 },
    );
  });
});

test.each([
  ['with final newlines', many('a'), many('b')],
  ['without final newlines', `${many('a')}end`, `${many('b')}other`],
  ['of which one is a single line', 'a\n', many('b')],
])('very different texts %s are one replacement', (_, before, after) => {
  expect(lineDiff('f', before, after).match(/^@@/gm)).toHaveLength(1);
  inFolder((folder) => expect(applied(folder, before, after)).toBe(after));
});
