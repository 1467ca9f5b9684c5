import { createClient } from '@chatd/client';
import { addressOf } from '../access/address.ts';
import { CommandFailed } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { styleFor } from '../output/style.ts';
import { styledText } from '../output/terminal-text.ts';
import { type Action, type Group, isGroup } from './command.ts';
import { explain } from './explain.ts';
import { findCommand } from './find-command.ts';
import { help } from './help.ts';
import { parse, type Parsed } from './parse.ts';

export interface Surroundings {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly version: string;
}

/** From a command line to an exit code. */
export async function runProgram(root: Group, around: Surroundings): Promise<number> {
  const { args, stdout, stderr, env } = around;
  try {
    if (args[0] === '--version' || args[0] === '-V') {
      stdout.write(`chatd ${around.version}\n`);
      return EXIT.ok;
    }
    const found = findCommand(root, args);
    const { command, path } = found;
    if (isGroup(command)) return groupAlone(help(path), command, found.args, around);
    if (command.verbatim === true) {
      const context = contextOf(around, { values: {}, positionals: [] });
      return await command.run({ values: {}, positionals: found.args, context });
    }
    const parsed = parse(command, path, found.args);
    if (parsed.values['help'] === true) {
      stdout.write(help(path));
      return EXIT.ok;
    }
    return await perform(command, parsed, around);
  } catch (error) {
    const { exitCode, message, hint } = explain(error);
    const style = styleFor({ flag: undefined, env, isTTY: stderr.isTTY });
    const text = `${style('red', 'chatd:')} ${message}\n${hint === undefined ? '' : `${hint}\n`}`;
    stderr.write(styledText(text));
    return exitCode;
  }
}

/** Asked for nothing: that is a question. */
function groupAlone(
  text: string,
  group: Group,
  args: readonly string[],
  { stdout, stderr }: Surroundings,
): number {
  const unknown = args.find((word) => !['--help', '-h', '--no-color', '--color'].includes(word));
  if (unknown !== undefined) {
    throw new CommandFailed(
      EXIT.usage,
      `${group.name} has no option ${unknown}.`,
      `See ${group.name} --help.`,
    );
  }
  const asked = args.includes('--help') || args.includes('-h');
  (asked ? stdout : stderr).write(text);
  return asked ? EXIT.ok : EXIT.usage;
}

async function perform(command: Action, parsed: Parsed, around: Surroundings): Promise<number> {
  return await command.run({
    // Its own options made them, so they are of the types that it asks for.
    values: parsed.values as never,
    positionals: parsed.positionals,
    context: contextOf(around, parsed),
  });
}

function contextOf(around: Surroundings, { values }: Parsed): Context {
  const { env, stdin, stdout, stderr, version } = around;
  const flag = values['color'] === true ? true : values['no-color'] === true ? false : undefined;
  const address = () => addressOf({ url: text(values['url']), token: text(values['token']) }, env);
  return {
    env,
    stdin,
    stdout,
    stderr,
    version,
    style: styleFor({ flag, env, isTTY: stdout.isTTY }),
    errorStyle: styleFor({ flag, env, isTTY: stderr.isTTY }),
    now: () => Date.now(),
    // Files and pipes get the exact text.
    print: (line) => void stdout.write(stdout.isTTY ? styledText(line) : line),
    say: (line) => void stderr.write(`${styledText(line)}\n`),
    address,
    async client(wish = {}) {
      const { url, token } = await address();
      if (token === undefined) {
        throw new CommandFailed(
          EXIT.refused,
          `There is no token for ${url}.`,
          'Run chatd login, or set CHATD_TOKEN.',
        );
      }
      return createClient({ url, token, ...wish });
    },
  };
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
