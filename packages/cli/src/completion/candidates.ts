import {
  type Command,
  type Group,
  isGroup,
  type Option,
  type Options,
} from '../command-line/command.ts';
import { GLOBAL_OPTIONS } from '../command-line/global-options.ts';

/** What could stand where the cursor is; `files` lets the shell offer its own. */
export interface Candidates {
  readonly words: readonly { readonly word: string; readonly about: string }[];
  readonly files: boolean;
}

const NONE: Candidates = { words: [], files: false };

/** `words` are those after the name of the program; the last one is the one being written, perhaps empty. */
export function candidates(root: Group, words: readonly string[]): Candidates {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  let command: Command = root;
  let positional = 0;
  for (let index = 0; index < before.length; index += 1) {
    const word = before[index] ?? '';
    if (word.startsWith('-')) {
      const option = optionNamed(command, word);
      if (option?.type === 'string' && !word.includes('=')) index += 1;
    } else if (isGroup(command)) {
      const next: Command | undefined = command.commands.find(({ name }) => name === word);
      if (next === undefined) return NONE;
      command = next;
    } else {
      positional += 1;
    }
  }
  const last = before.at(-1) ?? '';
  const pending = last.startsWith('-') ? optionNamed(command, last) : undefined;
  if (pending?.type === 'string') return narrowed(valuesOf(pending), typed);
  if (typed.startsWith('-')) return narrowed(optionsOf(command), typed);
  if (isGroup(command)) {
    const known = command.commands.filter(({ hidden }) => hidden !== true);
    return narrowed(
      { words: known.map(({ name, summary }) => ({ word: name, about: summary })), files: false },
      typed,
    );
  }
  const wanted = command.positionals[Math.min(positional, command.positionals.length - 1)];
  return wanted === undefined || (positional >= command.positionals.length && wanted.rest !== true)
    ? NONE
    : narrowed(valuesOf(wanted), typed);
}

const allOptions = (command: Command): Options =>
  isGroup(command) ? GLOBAL_OPTIONS : { ...command.options, ...GLOBAL_OPTIONS };

function optionNamed(command: Command, word: string): Option | undefined {
  const options = allOptions(command);
  if (word.startsWith('--')) return options[word.slice(2).split('=')[0] ?? ''];
  return Object.values(options).find(({ short }) => short !== undefined && `-${short}` === word);
}

const optionsOf = (command: Command): Candidates => ({
  words: Object.entries(allOptions(command)).map(([name, { help }]) => ({
    word: `--${name}`,
    about: help,
  })),
  files: false,
});

const valuesOf = ({
  choices = [],
  completes,
}: Pick<Option, 'choices' | 'completes'>): Candidates => ({
  words: choices.map((word) => ({ word, about: '' })),
  files: completes === 'file',
});

const narrowed = ({ words, files }: Candidates, typed: string): Candidates => ({
  words: words.filter(({ word }) => word.startsWith(typed)),
  files,
});
