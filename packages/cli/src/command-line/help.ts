import { type Action, type Command, isGroup, type Options, type Positional } from './command.ts';
import { nameOf } from './find-command.ts';
import { GLOBAL_OPTIONS } from './global-options.ts';

/** What `--help` prints. */
export function help(path: readonly Command[]): string {
  const command = path.at(-1);
  if (command === undefined) return '';
  const name = nameOf(path);
  const sections = [
    `${sentence(command.summary)}${command.details === undefined ? '' : `\n\n${command.details}`}`,
    isGroup(command) ? `Usage: ${name} COMMAND …` : usage(name, command),
    isGroup(command) ? commandList(command.commands) : optionList('Options', command.options),
    optionList('Everywhere', GLOBAL_OPTIONS),
    exampleList(command),
    ...(isGroup(command) ? [`${name} COMMAND --help says more about each.`] : []),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

const sentence = (text: string) => `${text}.`;

function usage(name: string, { options, positionals, verbatim }: Action): string {
  const words = [name, ...positionals.map(shown)];
  if (Object.keys(options).length > 0 || verbatim === true) words.push('[OPTIONS]');
  return `Usage: ${words.join(' ')}`;
}

function shown({ name, optional, rest }: Positional): string {
  const word = rest === true ? `${name} …` : name;
  return optional === true ? `[${word}]` : word;
}

function commandList(commands: readonly Command[]): string {
  const rows = commands
    .filter(({ hidden }) => hidden !== true)
    .map(({ name, summary }): [string, string] => [name, summary]);
  return `Commands:\n${columns(rows)}`;
}

function optionList(title: string, options: Options): string {
  const rows = Object.entries(options).map(([name, option]): [string, string] => {
    const short = option.short === undefined ? '' : `-${option.short}, `;
    const value = option.type === 'boolean' ? '' : ` ${option.value ?? 'VALUE'}`;
    const choices = option.choices === undefined ? '' : ` (${option.choices.join(', ')})`;
    const often = option.multiple === true ? '; may be given several times' : '';
    return [`${short}--${name}${value}`, `${option.help}${choices}${often}`];
  });
  return rows.length === 0 ? '' : `${title}:\n${columns(rows)}`;
}

function exampleList({ examples = [] }: Command): string {
  if (examples.length === 0) return '';
  const lines = examples.map(([command, meaning]) => `  ${command}\n      ${meaning}`);
  return `Examples:\n${lines.join('\n')}`;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.min(28, Math.max(...rows.map(([left]) => left.length)));
  return rows
    .map(([left, right]) =>
      left.length > width
        ? `  ${left}\n  ${' '.repeat(width)}  ${right}`
        : `  ${left.padEnd(width)}  ${right}`,
    )
    .join('\n');
}
