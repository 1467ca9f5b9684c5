import { Refused } from '../../chat/refused.ts';

/** PostgreSQL stores neither NUL characters nor unpaired surrogates. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

export function unstorable(where: string): Refused {
  const message = 'contains a NUL character or an unpaired surrogate';
  return new Refused('invalid_text', `${where}: ${message}`, {
    errors: [{ path: where, message }],
  });
}
