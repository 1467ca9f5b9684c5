export type DiffLineKind = 'file' | 'old-file' | 'hunk' | 'added' | 'removed' | 'other';

/** `@@ -2,7 +2,8 @@`; planned changes have no line numbers. */
const HUNK = /^@@ -\d*(?:,(\d+))? \+\d*(?:,(\d+))? @@/;

/**
 * The kinds of the lines of a unified diff. The lines of a hunk are counted, because they can look like headers: a
 * removed `-- comment` is `--- comment`.
 */
export function diffKinds(lines: readonly string[]): DiffLineKind[] {
  let before = 0;
  let after = 0;
  return lines.map((line) => {
    if (before > 0 && line.startsWith('-')) {
      before -= 1;
      return 'removed';
    }
    if (after > 0 && line.startsWith('+')) {
      after -= 1;
      return 'added';
    }
    if (before > 0 && after > 0 && !line.startsWith('\\')) {
      before -= 1;
      after -= 1;
      return 'other';
    }
    if (line.startsWith('+++ ')) return 'file';
    if (line.startsWith('--- ')) return 'old-file';
    const hunk = HUNK.exec(line);
    if (hunk === null) return 'other';
    before = Number(hunk[1] ?? 1);
    after = Number(hunk[2] ?? 1);
    return 'hunk';
  });
}
