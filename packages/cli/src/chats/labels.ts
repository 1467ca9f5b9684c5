import { usageError } from '../command-failed.ts';

/** Parses `NAME=VALUE` or `NAME:VALUE`. `option` precedes the value in errors. */
export function labelsOf(words: readonly string[] = [], option = ''): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.search(/[=:]/);
      if (at < 1) throw usageError(`${option}${JSON.stringify(word)} is not NAME=VALUE.`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}
