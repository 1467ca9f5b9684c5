import {
  type Action,
  type Command,
  isGroup,
  type Options,
  type Positional,
} from '../../packages/cli/src/command-line/command.ts';
import { GLOBAL_OPTIONS } from '../../packages/cli/src/command-line/global-options.ts';
import { program } from '../../packages/cli/src/program.ts';

/** docs/reference/command.md: what `--help` says of every command. */
export function commandReference(): string {
  const commands = shownOf(program.commands);
  return [
    INTRODUCTION,
    commands.map(contents).join('\n'),
    optionTable('everywhere', GLOBAL_OPTIONS),
    ...commands.flatMap((one) => section([one])),
  ].join('\n\n');
}

const shownOf = (commands: readonly Command[]) => commands.filter(({ hidden }) => hidden !== true);

function contents(command: Command): string {
  const link = `**[chatd ${command.name}](#chatd-${command.name})**`;
  if (!isGroup(command)) return `- ${link}: ${lowered(command.summary)}`;
  const inner = shownOf(command.commands).map(
    ({ name }) => `[${name}](#chatd-${command.name}-${name})`,
  );
  return `- ${link}: ${inner.join(' · ')}`;
}

const lowered = (text: string) => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
const code = (word: string) => `\`${word}\``;

const INTRODUCTION = `# Command reference

<!-- page not run: examples of the help, which stand for themselves; the commands are tested in packages/cli/test -->

Every command and option of \`chatd\`, as \`--help\` shows them; \`npm run reference\` writes this page. [The command](../command.md) explains how they are used, and
what the exit codes are.`;

function section(path: readonly Command[]): string[] {
  const command = path.at(-1);
  if (command === undefined || command.hidden === true) return [];
  const name = ['chatd', ...path.map((one) => one.name)].join(' ');
  const { summary, details, examples = [] } = command;
  return [
    `${'#'.repeat(path.length + 1)} ${name}`,
    `${summary}.`,
    ...(details === undefined ? [] : [details]),
    ...(isGroup(command)
      ? command.commands.flatMap((one) => section([...path, one]))
      : [usage(name, command), optionTable('option', command.options)]),
    ...(examples.length === 0 ? [] : [exampleBlock(examples)]),
  ].filter((text) => text !== '');
}

function usage(name: string, { options, positionals, verbatim }: Action): string {
  const words = [name, ...positionals.map(shown)];
  if (Object.keys(options).length > 0 || verbatim === true) words.push('[OPTIONS]');
  return `\`${words.join(' ')}\``;
}

function shown({ name, optional, rest }: Positional): string {
  const word = rest === true ? `${name} …` : name;
  return optional === true ? `[${word}]` : word;
}

function optionTable(title: string, options: Options): string {
  const rows = Object.entries(options).map(([name, option]) => {
    const short = option.short === undefined ? '' : `\`-${option.short}\`, `;
    const value = option.type === 'boolean' ? '' : ` ${option.value ?? 'VALUE'}`;
    const words = [
      `${option.help}.`,
      ...(option.choices === undefined ? [] : [`One of ${option.choices.map(code).join(', ')}.`]),
      ...(option.multiple === true ? ['May be given several times.'] : []),
    ]
      .join(' ')
      .replaceAll('|', '\\|');
    return `| ${short}\`--${name}${value}\` | ${words} |`;
  });
  return rows.length === 0 ? '' : [`| ${title} | |`, '| --- | --- |', ...rows].join('\n');
}

function exampleBlock(examples: NonNullable<Command['examples']>): string {
  const lines = examples.map(([command, meaning]) =>
    meaning === '' ? command : `${command}   # ${meaning}`,
  );
  return ['```sh', ...lines, '```'].join('\n');
}
