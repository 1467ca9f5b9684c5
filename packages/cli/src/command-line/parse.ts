import { parseArgs } from 'node:util';
import { usageError } from '../command-failed.ts';
import type { Action, Command, Options, Positional } from './command.ts';
import { nameOf } from './find-command.ts';
import { GLOBAL_OPTIONS } from './global-options.ts';
import { suggestion } from './suggestion.ts';

export interface Parsed {
  readonly values: Readonly<Record<string, string | boolean | string[] | undefined>>;
  readonly positionals: readonly string[];
}

/** Reads what follows a command; whatever is wrong with it is said in words. */
export function parse(action: Action, path: readonly Command[], args: readonly string[]): Parsed {
  const options: Options = { ...GLOBAL_OPTIONS, ...action.options };
  const parsed = readArguments(options, path, args);
  if (parsed.values['help'] === true) return parsed;
  for (const [name, { choices }] of Object.entries(options)) {
    const given = [parsed.values[name] ?? []].flat();
    for (const value of given) refuseUnlisted(`--${name}`, String(value), choices);
  }
  checkPositionals(action.positionals, parsed.positionals, nameOf(path));
  return parsed;
}

function readArguments(
  options: Options,
  path: readonly Command[],
  args: readonly string[],
): Parsed {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: Object.fromEntries(
        Object.entries(options).map(([name, { type, short, multiple }]) => [
          name,
          { type, ...(short !== undefined && { short }), ...(multiple && { multiple }) },
        ]),
      ),
      allowPositionals: true,
    });
    return { values: { ...values } as Parsed['values'], positionals };
  } catch (error) {
    throw explained(error, Object.keys(options), nameOf(path));
  }
}

function explained(error: unknown, known: readonly string[], command: string) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!code.startsWith('ERR_PARSE_ARGS')) throw error;
  const message = error instanceof Error ? error.message : String(error);
  const see = `See ${command} --help.`;
  const [, option] = /Unknown option '(-[^' ,]*)/.exec(message) ?? [];
  if (option === undefined) return usageError(`${message.split(/\. |\n/)[0]}.`, see);
  const meant = suggestion(option.replace(/^-+/, ''), known);
  return usageError(
    `${command} has no option ${option}.`,
    meant === undefined ? see : `Did you mean --${meant}?`,
  );
}

function refuseUnlisted(what: string, value: string, choices: readonly string[] | undefined) {
  if (choices === undefined || choices.includes(value)) return;
  const meant = suggestion(value, choices);
  throw usageError(
    `${what} cannot be ${JSON.stringify(value)}.`,
    `It can be: ${choices.join(', ')}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
  );
}

function checkPositionals(
  wanted: readonly Positional[],
  given: readonly string[],
  command: string,
): void {
  const see = `See ${command} --help.`;
  for (const [index, { name, optional, choices }] of wanted.entries()) {
    const value = given[index];
    if (value === undefined && optional !== true) {
      throw usageError(`${name} is missing.`, see);
    }
    if (value !== undefined) refuseUnlisted(name, value, choices);
  }
  if (given.length > wanted.length && wanted.at(-1)?.rest !== true) {
    throw usageError(`${JSON.stringify(given[wanted.length])} is one word too many.`, see);
  }
}
