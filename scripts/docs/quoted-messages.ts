import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = ['packages/*/src/**/*.ts', 'scripts/run/*.mjs', 'scripts/*.ts'];

/** Messages quoted on a page: the lines of its block quotes. `…` stands for variable parts. */
export function quotedMessages(page: string): string[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('> '))
    .map((line) => line.slice(2).trim());
}

/** The text of each source file, with concatenated string literals joined. */
export function sourceTexts(root: string): string[] {
  return globSync(SOURCES, { cwd: root, exclude: (path) => /\.test\.tsx?$/.test(path) }).map(
    (file) => joined(readFileSync(join(root, file), 'utf8')),
  );
}

const joined = (text: string) =>
  text.replaceAll(/['`"]\s*\+\s*['`"]/g, '').replaceAll(/\\(['`"])/g, '$1');

/** Whether a source contains all parts of the quote, in order. */
export function isSaid(quote: string, sources: readonly string[]): boolean {
  // Messages are printed with the program name as prefix.
  const pieces = quote
    .replace(/^chatd: /, '')
    .split('…')
    .map((piece) => piece.trim())
    .filter((piece) => /\w/.test(piece));
  if (pieces.length === 0) throw new Error(`Empty quote: ${quote}`);
  return sources.some((text) => {
    let from = 0;
    return pieces.every((piece) => {
      const at = text.indexOf(piece, from);
      from = at + piece.length;
      return at >= 0;
    });
  });
}
