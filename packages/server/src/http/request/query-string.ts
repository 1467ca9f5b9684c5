import { Refused } from '../../chat/refused.ts';
import { isStorable, unstorable } from './text.ts';

/** Stricter than URLSearchParams, which replaces what it cannot decode and hides what is given twice. */
export function parseQueryString(search: string): Record<string, string> {
  const query = Object.create(null) as Record<string, string>;
  for (const pair of search.replace(/^\?/, '').split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at === -1 ? pair : pair.slice(0, at), 'query');
    const value = decode(at === -1 ? '' : pair.slice(at + 1), name);
    if (name in query) throw givenTwice(name);
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

function givenTwice(name: string): Refused {
  const errors = [{ path: name, message: 'is given twice' }];
  return new Refused('invalid_query', `${name}: is given twice`, { errors });
}
