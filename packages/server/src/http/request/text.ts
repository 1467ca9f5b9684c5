import { Refused } from '../../chat/refused.ts';

/** PostgreSQL stores neither NUL nor half a surrogate pair, so neither may come in. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

export function unstorable(where: string): Refused {
  const message = 'holds a NUL character or half of a surrogate pair, which cannot be stored';
  return new Refused('invalid_text', `${where}: ${message}`, {
    errors: [{ path: where, message }],
  });
}
