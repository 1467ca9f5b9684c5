import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Page, parsePage } from './page.ts';

const exclude = (path: string) => /(^|\/)(node_modules|dist|\.[^/.][^/]*)$/.test(path);

/** All Markdown files of the repository. */
export function markdownFiles(root: string): string[] {
  return globSync('**/*.md', { cwd: root, exclude }).toSorted();
}

export function readPage(root: string, file: string): Page {
  return parsePage(file, readFileSync(join(root, file), 'utf8'));
}

export function readPages(root: string): Page[] {
  return markdownFiles(root).map((file) => readPage(root, file));
}
