import type { AnyCommand } from '../command-line/command.ts';

interface Candidate {
  readonly value: string;
  readonly description: string;
}

export interface Candidates {
  readonly values: readonly Candidate[];
  /** The shell adds file names. */
  readonly files: boolean;
}

/** What can complete the last of `words`, which follow the name of the program. The last one may be empty. */
export function candidates(program: AnyCommand, words: readonly string[]): Candidates {
  const typed = words.at(-1) ?? '';
  const { values, files } = expected(program, words.slice(0, -1), typed);
  return { values: values.filter(({ value }) => value.startsWith(typed)), files };
}

function expected(program: AnyCommand, before: readonly string[], typed: string): Candidates {
  let command = program;
  let position = 0;
  const optionNamed = (word: string) =>
    command.options.find(({ short, long }) => word === short || word === long);
  for (let index = 0; index < before.length; index += 1) {
    const word = before[index] ?? '';
    if (word.startsWith('-')) {
      if (optionNamed(word)?.required === true) index += 1;
    } else if (command.commands.length > 0) {
      const inner = command.commands.find((one) => one.name() === word);
      if (inner === undefined) return { values: [], files: false };
      command = inner;
    } else {
      position += 1;
    }
  }
  const pending = optionNamed(before.at(-1) ?? '');
  if (pending?.required === true) return valuesOf(pending.flags, pending.argChoices);
  const help = command.createHelp();
  if (typed.startsWith('-')) {
    const options = help.visibleOptions(command);
    return listed(options.map(({ long, description }) => [long ?? '', description]));
  }
  if (command.commands.length > 0) {
    const commands = help.visibleCommands(command);
    return listed(commands.map((one) => [one.name(), one.summary()]));
  }
  const last = command.registeredArguments.at(-1);
  const argument =
    command.registeredArguments[position] ?? (last?.variadic === true ? last : undefined);
  return argument === undefined
    ? { values: [], files: false }
    : valuesOf(`<${argument.name()}>`, argument.argChoices);
}

const listed = (rows: readonly (readonly [string, string])[]): Candidates => ({
  values: rows.map(([value, description]) => ({ value, description })),
  files: false,
});

const valuesOf = (flags: string, choices: readonly string[] = []): Candidates => ({
  ...listed(choices.map((value) => [value, ''])),
  files: /<(file|path|dir)>/.test(flags),
});
