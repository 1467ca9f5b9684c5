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
  return [
    INTRODUCTION,
    optionTable('everywhere', GLOBAL_OPTIONS),
    ...program.commands.filter(({ hidden }) => hidden !== true).flatMap((one) => section([one])),
  ].join('\n\n');
}

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
    const choices = option.choices === undefined ? '' : `: ${option.choices.join(', ')}`;
    const often = option.multiple === true ? '; may be given several times' : '';
    const words = `${option.help}${choices}${often}`.replaceAll('|', '\\|');
    return `| ${short}\`--${name}${value}\` | ${words} |`;
  });
  return rows.length === 0 ? '' : [`| ${title} | |`, '| --- | --- |', ...rows].join('\n');
}

function exampleBlock(examples: NonNullable<Command['examples']>): string {
  const lines = examples.map(([command, meaning]) => `${command}   # ${meaning}`);
  return ['```sh', ...lines, '```'].join('\n');
}
