import { refusedField } from '../../chat/refused.ts';
import { isStorable, unstorable } from './text.ts';

/** Stricter than URLSearchParams: refuses invalid encoding and repeated parameters. */
export function parseQueryString(search: string): Record<string, string> {
  const query = Object.create(null) as Record<string, string>;
  for (const pair of search.replace(/^\?/, '').split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at === -1 ? pair : pair.slice(0, at), 'query');
    const value = decode(at === -1 ? '' : pair.slice(at + 1), name);
    if (name in query) throw repeated(name);
    query[name] = value;
  }
  return query;
}

function decode(text: string, where: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw unstorable(where);
  }
  if (!isStorable(decoded)) throw unstorable(where);
  return decoded;
}

const repeated = (name: string) => refusedField(name, 'is given more than once', 'invalid_query');
