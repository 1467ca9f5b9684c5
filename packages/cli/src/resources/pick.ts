import { CommandFailed } from '../command-failed.ts';
import { EXIT } from '../exit-codes.ts';
import { oneLine } from '../output/terminal-text.ts';

interface Identified {
  readonly id: string;
}

export const isId = (word: string): boolean => /^[0-9a-f-]{36}$/i.test(word);

/** Finds a row by its ID, a name, or a unique prefix of its ID. */
export function pick<Row extends Identified>(
  rows: readonly Row[],
  word: string,
  what: string,
  namesOf: (row: Row) => readonly string[],
): Row {
  const exact = rows.filter((row) => row.id === word || namesOf(row).includes(word));
  const loose = rows.filter(
    (row) =>
      (word.length >= 4 && row.id.startsWith(word.toLowerCase())) ||
      namesOf(row).some((name) => name.toLowerCase() === word.toLowerCase()),
  );
  const found = exact.length > 0 ? exact : loose;
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  if (found.length > 1) {
    const ids = found.map((row) => `${row.id} (${oneLine(namesOf(row)[0] ?? '')})`);
    throw new CommandFailed(
      EXIT.usage,
      `${JSON.stringify(word)} is ambiguous: ${ids.join(', ')}.`,
      'Use the ID.',
    );
  }
  const names = rows.flatMap((row) => namesOf(row).slice(0, 1));
  throw new CommandFailed(
    EXIT.refused,
    `There is no ${what} ${JSON.stringify(word)}.`,
    names.length === 0 ? undefined : `Available: ${names.slice(0, 20).map(oneLine).join(', ')}.`,
  );
}
