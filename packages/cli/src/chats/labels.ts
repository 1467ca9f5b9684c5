import { usageError } from '../command-failed.ts';

/** Labels as people write them, `NAME=VALUE`; a colon does, too. `where` is how they were given. */
export function labelsOf(words: readonly string[] = [], where = ''): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.search(/[=:]/);
      if (at < 1) throw usageError(`${where}${JSON.stringify(word)} is not NAME=VALUE.`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}
