import type { Json } from '../json.ts';

/** A page that a provider's tool found or opened. */
export interface WebPage {
  readonly url: string;
  readonly title?: string | undefined;
}

type Fields = Readonly<Record<string, Json>>;

export const fieldsOf = (value: Json | undefined): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

export const textField = (fields: Fields, name: string): string => {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
};

/**
 * The pages that a result lists, each once. Every provider has its own shape; all of them list objects with a `url`.
 * Undefined: the result has no list.
 */
export function listedPages(result: Json | undefined): readonly WebPage[] | undefined {
  const lists = listsIn(result);
  if (lists.length === 0) return undefined;
  const pages = lists.flat().flatMap((item) => {
    const url = textField(fieldsOf(item), 'url');
    const title = textField(fieldsOf(item), 'title').trim();
    return url === '' ? [] : [title === '' ? { url } : { url, title }];
  });
  return [...new Map(pages.map((page) => [pageKey(page.url), page])).values()];
}

function listsIn(value: Json | undefined): Json[][] {
  return Array.isArray(value) ? [value] : Object.values(fieldsOf(value)).flatMap(listsIn);
}

/** OpenAI adds a parameter to the addresses of the pages that it cites, but not to those that it lists. */
export const pageKey = (url: string): string => url.replace(/[?&]utm_source=openai$/, '');

/** The address as it stands in a line: without its scheme. */
export const pageName = (url: string): string =>
  pageKey(url)
    .replace(/^https?:\/\/(?:www\.)?/, '')
    .replace(/\/$/, '');
