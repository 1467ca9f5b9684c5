import { usageError } from '../command-failed.ts';
import { type Action, type Command, type Group, isGroup } from './command.ts';
import { GLOBAL_OPTIONS } from './global-options.ts';
import { suggestion } from './suggestion.ts';

export interface Found {
  /** From the program itself to the command. */
  readonly path: readonly Command[];
  readonly command: Command;
  /** What follows its name. */
  readonly args: readonly string[];
}

/** Walks down the tree by the words that are not options; options may stand anywhere. */
export function findCommand(root: Group, args: readonly string[]): Found {
  const path: Command[] = [root];
  const rest: string[] = [];
  let command: Command = root;
  let index = 0;
  for (; index < args.length && isGroup(command); index += 1) {
    const word = args[index] ?? '';
    if (word.startsWith('-')) {
      rest.push(word);
      if (takesValue(word) && index + 1 < args.length) rest.push(args[(index += 1)] ?? '');
      continue;
    }
    const next: Command | undefined = command.commands.find(({ name }) => name === word);
    if (next === undefined) throw unknownCommand(path, command, word);
    command = next;
    path.push(next);
  }
  return { path, command, args: [...rest, ...args.slice(index)] };
}

function takesValue(word: string): boolean {
  const name = word.replace(/^--/, '');
  return Object.entries<Action['options'][string]>(GLOBAL_OPTIONS).some(
    ([known, { type }]) => known === name && type === 'string',
  );
}

function unknownCommand(path: readonly Command[], parent: Group, word: string) {
  const spoken = nameOf(path);
  const known = parent.commands.filter(({ hidden }) => hidden !== true).map(({ name }) => name);
  const meant = suggestion(word, known);
  return usageError(
    `There is no command ${JSON.stringify(`${spoken} ${word}`)}.`,
    meant === undefined
      ? `The commands are: ${known.join(', ')}. See ${spoken} --help.`
      : `Did you mean ${spoken} ${meant}?`,
  );
}

export const nameOf = (path: readonly Command[]): string => path.map(({ name }) => name).join(' ');
