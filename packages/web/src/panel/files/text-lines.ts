import type { Hunk, PatchLine } from '../changes/patch.ts';

/** Pieces are highlighted separately. */
const PIECE_LINES = 200;
export const MOST_LINES = 5000;

/** Text as hunks, so that files and diffs render alike. */
export function textLines(text: string): { readonly hunks: Hunk[]; readonly cut: boolean } {
  const all = text.replace(/\n$/, '').split('\n');
  const lines = all.slice(0, MOST_LINES).map((line, index): PatchLine => ({
    kind: 'context',
    before: index + 1,
    after: index + 1,
    text: line.replace(/\r$/, ''),
  }));
  const hunks: Hunk[] = [];
  for (let at = 0; at < lines.length; at += PIECE_LINES) {
    hunks.push({ heading: undefined, lines: lines.slice(at, at + PIECE_LINES) });
  }
  return { hunks, cut: all.length > MOST_LINES };
}
