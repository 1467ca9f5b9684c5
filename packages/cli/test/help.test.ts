import { expect, test } from 'vitest';
import { type Command, isGroup } from '../src/command-line/command.ts';
import { help } from '../src/command-line/help.ts';
import { runProgram } from '../src/command-line/run-program.ts';
import { program } from '../src/program.ts';
import { bash, chatd } from './support/command.ts';

/** Every command with the way to it. */
function everyPath(path: readonly Command[]): (readonly Command[])[] {
  const command = path.at(-1)!;
  if (!isGroup(command)) return [path];
  return [path, ...command.commands.flatMap((next) => everyPath([...path, next]))];
}

const visible = everyPath([program]).filter((path) => path.every(({ hidden }) => hidden !== true));

async function run(...args: string[]) {
  let stdout = '';
  let stderr = '';
  const stream = (write: (text: string) => void) =>
    ({ write, isTTY: false }) as unknown as NodeJS.WriteStream;
  const code = await runProgram(program, {
    args,
    env: {},
    stdin: process.stdin,
    stdout: stream((text) => (stdout += text)),
    stderr: stream((text) => (stderr += text)),
    version: '1.2.3',
  });
  return { code, stdout, stderr };
}

test('every command says what it does, and no word of its help is too long for a terminal', async () => {
  expect(visible.length).toBeGreaterThan(60);
  for (const path of visible) {
    const text = help(path);
    const name = path.map((command) => command.name).join(' ');
    expect(text, name).toContain(`Usage: ${name}`);
    expect(text.split('\n')[0], name).toMatch(/^[A-Z].*\.$/);
  }
  const words = visible
    .at(-1)!
    .slice(1)
    .map(({ name }) => name);
  expect((await run(...words, '--help')).code).toBe(0);
});

test('help goes to stdout when it was asked for, and to stderr when it was not', async () => {
  const asked = await run('chats', '--help');
  expect([asked.code, asked.stderr]).toEqual([0, '']);
  expect(asked.stdout).toContain('export');
  const lost = await run('chats');
  expect([lost.code, lost.stdout]).toEqual([2, '']);
  expect(lost.stderr).toContain('export');
  expect((await run('--version')).stdout).toBe('chatd 1.2.3\n');
});

test.each([
  [['chast'], 'Did you mean chatd chats?'],
  [['chats', 'lst'], 'Did you mean chatd chats list?'],
  [['completion', 'bsh'], 'Did you mean bash?'],
  [['chats', 'show'], 'CHAT is missing'],
  [['chats', 'show', 'a', 'b'], '"b" is one word too many'],
  [['user', 'me', '--url', 'nowhere'], '--url is not the address of a server'],
])('%j is put right: %s', async (args, hint) => {
  const { code, stderr } = await run(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(hint)]);
});

test('options may stand before the command', async () => {
  const { code, stderr } = await run('--url', 'http://127.0.0.1:1', '--no-color', 'user', 'me');
  expect([code, stderr]).toEqual([
    5,
    expect.stringContaining('There is no token for http://127.0.0.1:1'),
  ]);
});

test('bash completes commands, options, values and files', async () => {
  const complete = async (line: string) => {
    const words = line.split(' ');
    const { stdout, stderr } = await bash(
      `eval "$(chatd completion bash)"
       COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length - 1}
       _chatd; printf '%s\\n' "\${COMPREPLY[@]}"`,
      { cwd: import.meta.dirname },
    );
    expect(stderr).toBe('');
    return stdout.trim().split('\n');
  };
  expect(await complete('chatd cha')).toEqual(['chat', 'chats']);
  expect(await complete('chatd chats ')).toContain('unarchive');
  expect(await complete('chatd run --ef')).toEqual(['--effort']);
  expect(await complete('chatd run --effort h')).toEqual(['high']);
  expect(await complete('chatd completion ')).toEqual(['bash', 'zsh', 'fish']);
  expect(await complete('chatd run --file hel')).toEqual(['help.test.ts']);
}, 60_000);

test('zsh and fish are told in their own words', async () => {
  expect((await chatd(['completion', 'zsh'])).stdout).toMatch(/^#compdef chatd\n/);
  expect((await chatd(['completion', 'fish'])).stdout).toContain('complete -c chatd');
}, 60_000);
