import { expect, test } from 'vitest';
import type { AnyCommand } from '../src/command-line/command.ts';
import { createProgram } from '../src/program.ts';
import { bash } from './support/command.ts';
import { chatd as inProcess } from './support/in-process.ts';

/** The words of every visible command. */
function everyPath(command: AnyCommand, path: readonly string[] = []): (readonly string[])[] {
  const inner = command.createHelp().visibleCommands(command);
  return [path, ...inner.flatMap((next) => everyPath(next, [...path, next.name()]))];
}

const paths = everyPath(createProgram(() => async () => undefined));

const run = (...args: string[]) => inProcess(args);

test('every command has help that fits a terminal', async () => {
  expect(paths.length).toBeGreaterThan(60);
  // The help of these two comes from the server, which takes long to load.
  for (const path of paths.filter(([name]) => name !== 'serve' && name !== 'machine')) {
    const { code, stdout } = await run(...path, '--help');
    const name = ['chatd', ...path].join(' ');
    expect([code, stdout], name).toEqual([0, expect.stringContaining(`Usage: ${name}`)]);
    expect(stdout.split('\n')[2], name).toMatch(/^[A-Z].*[.:]$|^[A-Z].{80,}$/);
    expect(stdout, name).toContain('Global options:');
  }
});

test('requested help goes to stdout, other help to stderr', async () => {
  const requested = await run('chats', '--help');
  expect([requested.code, requested.stderr]).toEqual([0, '']);
  expect(requested.stdout).toContain('export');
  const incomplete = await run('chats');
  expect([incomplete.code, incomplete.stdout]).toEqual([2, '']);
  expect(incomplete.stderr).toContain('export');
  expect((await run('--version')).stdout).toBe('chatd 1.2.3\n');
});

test.each([
  [
    ['chast'],
    "chatd: unknown command 'chast'\nDid you mean one of chat, chats?\nSee chatd --help.\n",
  ],
  [['chats', 'lst'], 'Did you mean list?'],
  [['chats', 'show', '--tial', '3'], "unknown option '--tial'\nDid you mean --tail?"],
  [['completion', 'bsh'], 'Allowed choices are bash, zsh, fish.'],
  [['chats', 'show'], "missing required argument 'chat'\nSee chatd chats show --help.\n"],
  [['chats', 'show', 'a', 'b'], 'too many arguments'],
  [['user', 'me', '--url', 'nowhere'], '--url is not a valid server URL'],
])('%j is a usage error: %s', async (args, message) => {
  const { code, stderr } = await run(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('global options may precede the command', async () => {
  const { code, stderr } = await run('--url', 'http://127.0.0.1:1', '--no-color', 'user', 'me');
  expect([code, stderr]).toEqual([5, expect.stringContaining('No token for http://127.0.0.1:1')]);
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
    'chat chats changes',
    '--effort',
    'high',
    'bash zsh fish',
    'help.test.ts',
  ]);
}, 120_000);

test('zsh and fish have their own scripts', async () => {
  expect((await run('completion', 'zsh')).stdout).toMatch(/^#compdef chatd\n/);
  expect((await run('completion', 'fish')).stdout).toContain('complete -c chatd');
  expect((await run('__complete', '--', 'chats', 'ex')).stdout).toMatch(/^export\t.+\n$/);
});
