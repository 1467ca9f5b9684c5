import { expect, test } from 'vitest';
import { type Command, isGroup } from '../src/command-line/command.ts';
import { help } from '../src/command-line/help.ts';
import { program } from '../src/program.ts';
import { bash } from './support/command.ts';
import { chatd as inProcess } from './support/in-process.ts';

/** Every command with the way to it. */
function everyPath(path: readonly Command[]): (readonly Command[])[] {
  const command = path.at(-1)!;
  if (!isGroup(command)) return [path];
  return [path, ...command.commands.flatMap((next) => everyPath([...path, next]))];
}

const visible = everyPath([program]).filter((path) => path.every(({ hidden }) => hidden !== true));

const run = (...args: string[]) => inProcess(args);

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
  [['chast'], 'Did you mean chatd chat?'],
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
  const lines = [
    'chatd cha',
    'chatd run --ef',
    'chatd run --effort h',
    'chatd completion ',
    'chatd run --file hel',
  ];
  const asked = lines.map((line) => {
    const words = line.split(' ');
    return `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length - 1}
      _chatd; echo "\${COMPREPLY[*]}"`;
  });
  const { stdout, stderr } = await bash(['eval "$(chatd completion bash)"', ...asked].join('\n'), {
    cwd: import.meta.dirname,
  });
  expect(stderr).toBe('');
  expect(stdout.trimEnd().split('\n')).toEqual([
    'chat chats',
    '--effort',
    'high',
    'bash zsh fish',
    'help.test.ts',
  ]);
}, 120_000);

test('zsh and fish are told in their own words', async () => {
  expect((await run('completion', 'zsh')).stdout).toMatch(/^#compdef chatd\n/);
  expect((await run('completion', 'fish')).stdout).toContain('complete -c chatd');
  expect((await run('__complete', '--', 'chats', 'ex')).stdout).toMatch(/^export\t.+\n$/);
});
