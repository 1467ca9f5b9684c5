import { CommandFailed } from '../command-failed.ts';
import { suggestion } from '../command-line/suggestion.ts';
import { EXIT } from '../exit-codes.ts';
import { oneLine } from '../output/terminal-text.ts';

interface Identified {
  readonly id: string;
}

/** What a person means by a word: an id, a name, or the beginning of an id that only one has. */
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
      `${JSON.stringify(word)} could be several: ${ids.join(', ')}.`,
      'Say the id.',
    );
  }
  const names = rows.flatMap((row) => namesOf(row).slice(0, 1));
  const meant = suggestion(word, names);
  throw new CommandFailed(
    EXIT.refused,
    `There is no ${what} ${JSON.stringify(word)}.`,
    meant !== undefined
      ? `Did you mean ${JSON.stringify(meant)}?`
      : names.length === 0
        ? undefined
        : `There are: ${names.slice(0, 20).map(oneLine).join(', ')}.`,
  );
}
