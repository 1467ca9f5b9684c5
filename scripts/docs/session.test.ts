import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Commands, Session } from './session.ts';

function newSession() {
  const state = mkdtempSync(join(tmpdir(), 'chatd-session-'));
  const session = new Session({ folder: state, state, env: { PATH: process.env['PATH'] } });
  onTestFinished(async () => {
    await session.end();
    rmSync(state, { recursive: true, force: true, maxRetries: 5 });
  });
  return (text: string, over: Partial<Commands> = {}) =>
    session.run({ text, line: 1, how: { mode: 'run' }, input: '', limitMs: 20_000, ...over });
}

test('variables are kept between blocks', async () => {
  const run = newSession();
  await run('NAME=value\nmkdir folder\ncd folder');
  expect(await run('echo "$NAME in $(basename "$PWD")"')).toMatchObject({
    status: 0,
    output: 'value in folder\n',
  });
});

test('a failing command ends the session and is reported with its line on the page', async () => {
  const run = newSession();
  const ended = await run('echo before\nls nowhere\necho after', { line: 40 });
  expect(ended.failed).toEqual({ status: 2, line: 41, command: 'ls nowhere' });
  expect(ended.output).toMatch(/^before\n.*nowhere/);
  expect(ended.output).not.toContain('after');
  expect(ended.over).toBe('ended');
});

test('a failure within a pipe is a failure', async () => {
  expect((await newSession()('false | cat')).failed).toMatchObject({ status: 1 });
});

test('a block with "fails with" can fail', async () => {
  const run = newSession();
  expect(await run('(exit 3)', { how: { mode: 'any-status' } })).toMatchObject({ status: 3 });
  expect((await run('echo still here')).output).toBe('still here\n');
});

test('typed lines are the standard input, which is empty by default', async () => {
  const run = newSession();
  expect((await run('cat', { input: 'hello\n' })).output).toBe('hello\n');
  expect((await run('cat')).output).toBe('');
});

test('Ctrl-C ends a block and keeps its variables', async () => {
  const run = newSession();
  const ended = await run('KEPT=yes\necho open; sleep 1000', {
    how: { mode: 'ctrl-c', text: 'open' },
  });
  expect(ended).toEqual({ status: 0, output: 'open\n' });
  expect((await run('echo $KEPT')).output).toBe('yes\n');
});

test('a background block runs until Ctrl-C', async () => {
  const run = newSession();
  const program = 'trap "echo ended > ended; exit" INT; echo ready; while :; do sleep 0.1; done';
  await run(program, { how: { mode: 'background', text: 'ready' } });
  expect((await run('ls')).output).not.toContain('ended');
  await run('ctrl_c');
  expect((await run('cat ended')).output).toBe('ended\n');
});

test('a background block that exits before it is ready fails', async () => {
  const ended = await newSession()('echo no; exit 4', {
    how: { mode: 'background', text: 'ready' },
  });
  expect(ended).toMatchObject({ status: 4, output: 'no\n' });
});

test('a block that exceeds the timeout is killed', async () => {
  expect((await newSession()('sleep 1000', { limitMs: 300 })).over).toBe('took too long');
});
