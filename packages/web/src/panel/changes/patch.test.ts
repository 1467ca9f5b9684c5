import { expect, test } from 'vitest';
import { pairsOf, parsePatch } from './patch.ts';

const PATCH = `diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,4 +1,5 @@ export function a() {
 one
-two
+2
+2.5
 three
\\ No newline at end of file
@@ -20 +21 @@
--- not a header
+++ neither
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git "a/na\\303\\257ve \\"x\\".txt" "b/na\\303\\257ve \\"x\\".txt"
new file mode 100644
--- /dev/null
+++ "b/na\\303\\257ve \\"x\\".txt"
@@ -0,0 +1 @@
+new
diff --git a/with space.txt b/moved here.txt
similarity index 100%
rename from with space.txt
rename to moved here.txt
diff --git a/picture.png b/picture.png
index 1..2 100644
Binary files a/picture.png and b/picture.png differ
`;

test('files are keyed by new path, or old path when deleted', () => {
  expect([...parsePatch(PATCH).keys()]).toEqual([
    'src/a.ts',
    'old.txt',
    'naïve "x".txt',
    'moved here.txt',
    'picture.png',
  ]);
});

test('lines have the numbers of both sides', () => {
  const [first, second] = parsePatch(PATCH).get('src/a.ts') ?? [];
  expect(first).toEqual({
    heading: 'export function a() {',
    lines: [
      { kind: 'context', before: 1, after: 1, text: 'one' },
      { kind: 'removed', before: 2, after: undefined, text: 'two' },
      { kind: 'added', before: undefined, after: 2, text: '2' },
      { kind: 'added', before: undefined, after: 3, text: '2.5' },
      { kind: 'context', before: 3, after: 4, text: 'three', unended: true },
    ],
  });
  expect(second?.lines).toEqual([
    { kind: 'removed', before: 20, after: undefined, text: '-- not a header' },
    { kind: 'added', before: undefined, after: 21, text: '++ neither' },
  ]);
  expect(parsePatch(PATCH).get('picture.png')).toEqual([]);
});

test('the split layout pairs removed and added lines', () => {
  const [hunk] = parsePatch(PATCH).get('src/a.ts') ?? [];
  const pairs = pairsOf(hunk?.lines ?? []).map(({ left, right }) => [left?.text, right?.text]);
  expect(pairs).toEqual([
    ['one', 'one'],
    ['two', '2'],
    [undefined, '2.5'],
    ['three', 'three'],
  ]);
});

test('an empty patch has no files', () => {
  expect(parsePatch('').size).toBe(0);
});
