import { parseAllDocuments } from 'yaml';
import type { Page } from './page.ts';

/** Errors in JSON and YAML blocks. */
export function dataErrors(page: Page): string[] {
  return page.blocks.flatMap(({ language, text, notes, line }) => {
    if (notes.has('not checked')) return [];
    const words =
      language === 'json' ? jsonError(text) : language === 'yaml' ? yamlError(text) : '';
    return words === '' ? [] : [`${page.file}:${line}: ${words}`];
  });
}

/** One value, or one per line. */
function jsonError(text: string): string {
  if (text.split('\n').every((line) => line.trim() === '' || errorOf(line) === '')) return '';
  return errorOf(text);
}

function errorOf(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function yamlError(text: string): string {
  return parseAllDocuments(text)
    .flatMap(({ errors }) => errors.map(({ message }) => message))
    .join('; ');
}
