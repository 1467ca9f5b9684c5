import { expect, test } from 'vitest';
import { CommandFailed } from '../command-failed.ts';
import { EXIT } from '../exit-codes.ts';
import { command, group } from './command.ts';
import { runProgram } from './run-program.ts';

const HOSTILE = 'x\u001B]52;c;c2VjcmV0\u0007\u001B]0;title\u0007\u001B[2J\u009B2Jy';

async function run(isTTY: boolean) {
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written) =>
    ({ isTTY, write: (text: string) => (written[name] += text) }) as unknown as NodeJS.WriteStream;
  await runProgram(
    (perform) =>
      group('chatd', 'Print text that a command did not clean', [
        command('print', 'Print').action(
          perform((context) => {
            context.print(`${context.style('red', HOSTILE)}\n`);
            context.log(HOSTILE);
            return Promise.reject(new CommandFailed(EXIT.failed, HOSTILE, HOSTILE));
          }),
        ),
      ]),
    {
      args: ['print', '--color'],
      env: {},
      stdin: process.stdin,
      stdout: stream('stdout'),
      stderr: stream('stderr'),
      version: '0',
    },
  );
  return written;
}

test('a terminal gets the styles of chatd and no other control sequence', async () => {
  const { stdout, stderr } = await run(true);
  expect(stdout).toBe('\u001B[31mxy\u001B[39m\n');
  expect(stderr).toMatch(/^xy\n\S*chatd:\S* xy\nxy\n$/);
});

test('a file gets the exact text', async () => {
  expect((await run(false)).stdout).toContain(HOSTILE);
});
