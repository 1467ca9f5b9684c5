import { createClient } from '@chatd/client';
import { CommanderError, type OutputConfiguration } from 'commander';
import { addressOf } from '../access/address.ts';
import { CommandFailed } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { styleFor } from '../output/style.ts';
import { styledText } from '../output/terminal-text.ts';
import { type AnyCommand, detailsOf, GLOBAL_OPTIONS, type Run } from './command.ts';
import { explain } from './explain.ts';

export interface Invocation {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly version: string;
}

/** Runs a command line and returns its exit code. */
export async function runProgram(
  createProgram: (run: Run) => AnyCommand,
  invocation: Invocation,
): Promise<number> {
  const { args, stdout, stderr, env, version } = invocation;
  const style = styleFor({ flag: undefined, env, isTTY: stderr.isTTY });
  const fail = (message: string) =>
    stderr.write(styledText(`${style('red', 'chatd:')} ${message}`));
  let exitCode: number = EXIT.ok;
  const program = createProgram((body) => async (...given) => {
    const command = given.at(-1) as AnyCommand;
    const context = contextOf(invocation, command.optsWithGlobals());
    exitCode = (await body(context, ...given)) ?? EXIT.ok;
  });
  program.version(`chatd ${version}`, '-V, --version', 'Show the version');
  configure(program, 'chatd', {
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
    outputError: (text) =>
      void fail(text.replace(/^error: /, '').replace(/\n\((.*)\)\n$/, '\n$1\n')),
    getOutHelpWidth: () => stdout.columns ?? 100,
    getErrHelpWidth: () => stderr.columns ?? 100,
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const explained = explain(error);
    const hint = explained.hint === undefined ? '' : `${explained.hint}\n`;
    fail(`${explained.message}\n${hint}`);
    return explained.exitCode;
  }
}

/** Adds what all commands share to a command and its subcommands. */
function configure(command: AnyCommand, path: string, output: OutputConfiguration): void {
  const { examples = [], raw } = detailsOf(command);
  command
    .exitOverride()
    .configureOutput(output)
    // Each command parses what follows its name, so `--` reaches the innermost one.
    .enablePositionalOptions()
    .showHelpAfterError(`See ${path} --help.`);
  if (raw !== true) for (const option of GLOBAL_OPTIONS) command.addOption(option);
  if (examples.length > 0) {
    const lines = examples.map(([line, meaning]) => `  ${line}\n      ${meaning}`);
    command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
  }
  for (const inner of command.commands) configure(inner, `${path} ${inner.name()}`, output);
}

interface GlobalOptions {
  readonly url?: string;
  readonly token?: string;
  readonly color?: boolean;
}

function contextOf(invocation: Invocation, { url, token, color }: GlobalOptions): Context {
  const { env, stdin, stdout, stderr, version } = invocation;
  const address = () => addressOf({ url, token }, env);
  return {
    env,
    stdin,
    stdout,
    stderr,
    version,
    style: styleFor({ flag: color, env, isTTY: stdout.isTTY }),
    errorStyle: styleFor({ flag: color, env, isTTY: stderr.isTTY }),
    now: () => Date.now(),
    // Files and pipes get the exact text.
    print: (text) => void stdout.write(stdout.isTTY ? styledText(text) : text),
    log: (line) => void stderr.write(`${styledText(line)}\n`),
    address,
    async client(options = {}) {
      const server = await address();
      if (server.token === undefined) {
        throw new CommandFailed(
          EXIT.refused,
          `No token for ${server.url}.`,
          'Run chatd login, or set CHATD_TOKEN.',
        );
      }
      return createClient({ url: server.url, token: server.token, ...options });
    },
  };
}
