import { createPatch, OMIT_HEADERS } from 'diff';

const CONTEXT_LINES = 3;

/** The search takes quadratic time in the number of differences: about 0.1 s at this limit. */
const MAX_DIFFERENCES = 1000;

/**
 * A unified diff, empty if the texts are equal. `before` is undefined for a new file. Texts with more than 1,000
 * differences become one hunk that replaces everything.
 */
export function lineDiff(path: string, before: string | undefined, after: string): string {
  if (before === after) return '';
  // The package would write non-ASCII names as octal escapes.
  const head = `--- ${before === undefined ? '/dev/null' : `a/${path}`}\n+++ b/${path}\n`;
  return head + hunks(before ?? '', after);
}

function hunks(before: string, after: string): string {
  const shortest = createPatch('', before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    headerOptions: OMIT_HEADERS,
    maxEditLength: MAX_DIFFERENCES,
  });
  // Without hunks, the package writes an empty line.
  return shortest === undefined ? replacement(before, after) : shortest.replace(/^\n/, '');
}

function replacement(before: string, after: string): string {
  const removed = hunkSide('-', before);
  const added = hunkSide('+', after);
  return `@@ -${removed.range} +${added.range} @@\n${removed.text}${added.text}`;
}

function hunkSide(sign: '-' | '+', text: string): { range: string; text: string } {
  if (text === '') return { range: '0,0', text: '' };
  const lines = text.replace(/\n$/, '').split('\n');
  const signed = lines.map((line) => `${sign}${line}\n`).join('');
  return {
    range: `1,${lines.length}`,
    text: text.endsWith('\n') ? signed : `${signed}\\ No newline at end of file\n`,
  };
}
