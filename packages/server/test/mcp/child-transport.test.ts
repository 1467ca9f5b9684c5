import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { ChildTransport, type Program } from '../../src/mcp/stdio/child-transport.ts';
import { isAlive } from '../../src/postgres/process-identity.ts';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';

const CONDITION = '--conditions=chatd-source';
const STUBBORN = join(import.meta.dirname, '../support/stubborn-program.ts');
const CLIENT_PROCESS = join(import.meta.dirname, '../support/mcp-client-process.ts');

async function stubborn() {
  const file = join(await makeTemporaryDirectory(), 'pids');
  const pids = async () => (await readFile(file, 'utf8')).split(' ').map(Number);
  return { command: process.execPath, args: [STUBBORN, file], pids };
}

const dead = (pids: readonly number[]) =>
  eventually(() => expect(pids.filter((pid) => isAlive(pid))).toEqual([]));

test('a program that ignores signals is killed with its children', async () => {
  const { command, args, pids } = await stubborn();
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new ChildTransport({ command, args, env: {} }));
  expect((await client.listTools()).tools).toMatchObject([{ name: 'stay' }]);
  const alive = await pids();
  expect(alive).toHaveLength(2);
  await client.close();
  await dead(alive);
});

test('a program dies with the process that started it, even after SIGKILL', async () => {
  const { command, args, pids } = await stubborn();
  const holder = spawn(process.execPath, [CONDITION, CLIENT_PROCESS, command, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  const alive = await pids();
  expect(alive.every((pid) => isAlive(pid))).toBe(true);
  holder.kill('SIGKILL');
  await dead(alive);
});

test('children of a program that exits by itself are killed', async () => {
  const transport = new ChildTransport({
    command: '/bin/sh',
    args: ['-c', 'sleep 1000 >/dev/null 2>&1 & echo $! >&2; exit 3'],
    env: {},
  });
  const closed = Promise.withResolvers<void>();
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of the SDK is not an event target
  transport.onclose = closed.resolve;
  await transport.start();
  await closed.promise;
  await dead([Number(transport.stderrTail)]);
});

test('a command that does not exist is reported', async () => {
  const transport = new ChildTransport({ command: '/nowhere/at-all', args: [], env: {} });
  await expect(new Client({ name: 'test', version: '1' }).connect(transport)).rejects.toThrow(
    /has ended|Connection closed/,
  );
  expect(transport.stderrTail).toContain('/nowhere/at-all');
});

/** The stderr output of a program that runs to its end. */
async function printed(program: Omit<Program, 'command' | 'env'>): Promise<string> {
  const transport = new ChildTransport({ command: '/bin/sh', env: {}, ...program });
  const closed = Promise.withResolvers<void>();
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of the SDK is not an event target
  transport.onclose = closed.resolve;
  await transport.start();
  await closed.promise;
  return transport.stderrTail;
}

test('a program runs in its working directory, within its limits', async () => {
  const cwd = await makeTemporaryDirectory();
  const limits = { memory_mb: 512, open_files: 64, cpu_seconds: 30 };
  const args = ['-c', 'pwd >&2; ulimit -d >&2; ulimit -n >&2; ulimit -t >&2'];
  expect(await printed({ args, cwd, limits })).toBe([cwd, 512 * 1024, 64, 30].join('\n'));
});

test('a program that allocates more memory than its limit fails', async () => {
  const allocate = `try { Buffer.alloc(1024 ** 3, 1) } catch (error) { console.error(error.code ?? error.message) }`;
  const args = ['-c', `exec "${process.execPath}" -e '${allocate}'`];
  expect(await printed({ args })).toBe('');
  expect(await printed({ args, limits: { memory_mb: 512 } })).not.toBe('');
});

test('a missing working directory is reported by name, and nothing is started', async () => {
  let ended = 0;
  const program = {
    command: '/bin/true',
    args: [],
    env: {},
    cwd: '/nowhere',
    onEnd: () => ended++,
  };
  await expect(new ChildTransport(program).start()).rejects.toThrow(
    'its working directory /nowhere does not exist',
  );
  expect(ended).toBe(1);
});
