import type * as Typed from '@commander-js/extra-typings';
import * as commander from 'commander';
import type { Context } from '../context.ts';

// Commander, with options and arguments that are typed by their flags. The typings have no code of their own.
export const Argument: typeof Typed.Argument = commander.Argument;
export const Option: typeof Typed.Option = commander.Option;
const Command = commander.Command as unknown as typeof Typed.Command;

export type AnyCommand = Typed.CommandUnknownOpts;

/** Turns the body of a command into a commander action: adds the context, and keeps the exit code. Default: 0. */
export type Run = <Args extends unknown[]>(
  body: (context: Context, ...args: Args) => Promise<number | void>,
) => (...args: Args) => Promise<void>;

export type Example = readonly [command: string, meaning: string];

interface Details {
  /** Paragraphs after the summary. */
  readonly details?: string;
  readonly examples?: readonly Example[];
  /** Has no options of its own: its arguments are parsed elsewhere. */
  readonly raw?: true;
}

const DETAILS = new WeakMap<AnyCommand, Details>();

/** `summary` is one line without a full stop. */
export function command(name: string, summary: string, more: Details = {}) {
  const made = new Command(name)
    .summary(summary)
    .description(
      [`${summary}.`, ...(more.details === undefined ? [] : [more.details])].join('\n\n'),
    )
    .configureHelp({ subcommandTerm: (one) => one.name() })
    .helpOption('-h, --help', 'Show help')
    .helpCommand(false);
  if (more.raw === true) made.helpOption(false).allowUnknownOption();
  DETAILS.set(made, more);
  return made;
}

export function group(name: string, summary: string, commands: readonly AnyCommand[]): AnyCommand {
  const made = command(name, summary);
  for (const one of commands) made.addCommand(one);
  return made;
}

export const detailsOf = (one: AnyCommand): Details => DETAILS.get(one) ?? {};

/** Parses an option that may be given several times. */
export const collect = (value: string, previous?: readonly string[] | false): readonly string[] =>
  previous ? [...previous, value] : [value];

export const GLOBAL_OPTIONS = [
  new Option('--url <url>', 'Server URL. Default: CHATD_URL, then the server of chatd login'),
  new Option(
    '--token <token>',
    'API token. Visible in the process list: prefer CHATD_TOKEN or chatd login',
  ),
  new Option('--color', 'Use colors even if the output is not a terminal'),
  new Option('--no-color', 'Do not use colors. NO_COLOR=1 does the same'),
].map((option) => option.helpGroup('Global options:'));

export const JSON_OPTION = new Option('--json', 'Print JSON');
export const YES_OPTION = new Option('-y, --yes', 'Skip the confirmation');
