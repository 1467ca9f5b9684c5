import {
  type AnyCommand,
  detailsOf,
  type Example,
  GLOBAL_OPTIONS,
} from '../../packages/cli/src/command-line/command.ts';
import { createProgram } from '../../packages/cli/src/program.ts';

type Options = readonly Pick<
  AnyCommand['options'][number],
  'flags' | 'description' | 'argChoices'
>[];

/** docs/reference/command.md: the help of every command. */
export function commandReference(): string {
  const commands = visible(createProgram(() => async () => undefined));
  return [
    INTRODUCTION,
    commands.map(contents).join('\n'),
    optionTable('global option', GLOBAL_OPTIONS),
    ...commands.flatMap((one) => section(one, `chatd ${one.name()}`, 2)),
  ].join('\n\n');
}

const visible = (command: AnyCommand) => command.createHelp().visibleCommands(command);

function contents(command: AnyCommand): string {
  const name = command.name();
  const link = `**[chatd ${name}](#chatd-${name})**`;
  const inner = visible(command).map((one) => `[${one.name()}](#chatd-${name}-${one.name()})`);
  return `- ${link}: ${inner.length === 0 ? lowered(command.summary()) : inner.join(' · ')}`;
}

const lowered = (text: string) => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
const code = (word: string) => `\`${word}\``;

const INTRODUCTION = `# Command reference

<!-- page not run: the examples of --help; the commands are tested in packages/cli/test -->

Every command and option of \`chatd\`, as \`--help\` shows them. \`npm run reference\` generates this page. [The command](../command.md) explains how to use
them, and lists the exit codes.`;

function section(command: AnyCommand, name: string, level: number): string[] {
  const inner = visible(command);
  const { examples = [], raw } = detailsOf(command);
  const choices = command.registeredArguments.flatMap((argument) =>
    argument.argChoices === undefined
      ? []
      : [`\`${argument.name()}\` is one of ${argument.argChoices.map(code).join(', ')}.`],
  );
  return [
    `${'#'.repeat(level)} ${name}`,
    command.description(),
    ...(inner.length > 0
      ? inner.flatMap((one) => section(one, `${name} ${one.name()}`, level + 1))
      : [
          code(`${name} ${raw === true ? '[options]' : command.usage()}`),
          ...choices,
          optionTable('option', command.options),
        ]),
    examples.length === 0 ? '' : exampleBlock(examples),
  ].filter((text) => text !== '');
}

function optionTable(title: string, options: Options): string {
  const rows = options.map(({ flags, description, argChoices }) => {
    const words = [
      `${description}.`,
      ...(argChoices === undefined ? [] : [`One of ${argChoices.map(code).join(', ')}.`]),
    ];
    const names = flags.split(', ').map(code).join(', ');
    return `| ${names} | ${words.join(' ').replaceAll('|', '\\|')} |`;
  });
  return rows.length === 0 ? '' : [`| ${title} | |`, '| --- | --- |', ...rows].join('\n');
}

function exampleBlock(examples: readonly Example[]): string {
  return ['```sh', ...examples.map(([line, meaning]) => `${line}   # ${meaning}`), '```'].join(
    '\n',
  );
}
