import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = ['packages/*/src/**/*.ts', 'scripts/run/*.mjs', 'scripts/*.ts'];

/** What a page quotes as said by the program: each line of a block quote. `…` stands for what differs. */
export function quotedMessages(page: string): string[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('> '))
    .map((line) => line.slice(2).trim());
}

/** All that programs say, a file each: strings that are put together over several lines are one. */
export function sourceTexts(root: string): string[] {
  return globSync(SOURCES, { cwd: root, exclude: (path) => /\.test\.tsx?$/.test(path) }).map(
    (file) => joined(readFileSync(join(root, file), 'utf8')),
  );
}

const joined = (text: string) =>
  text.replaceAll(/['`"]\s*\+\s*['`"]/g, '').replaceAll(/\\(['`"])/g, '$1');

/** Whether one of the sources can say it: all that is quoted of it, in that order. */
export function isSaid(quote: string, sources: readonly string[]): boolean {
  // A message is printed after the program's name.
  const pieces = quote
    .replace(/^chatd: /, '')
    .split('…')
    .map((piece) => piece.trim())
    .filter((piece) => /\w/.test(piece));
  if (pieces.length === 0) throw new Error(`Nothing is left of the quote: ${quote}`);
  return sources.some((text) => {
    let from = 0;
    return pieces.every((piece) => {
      const at = text.indexOf(piece, from);
      from = at + piece.length;
      return at >= 0;
    });
  });
}
