import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { openLocalMachine } from '../../src/machine/local/open-local-machine.ts';
import { CallLost, type HostedSpec } from '../../src/machine/machine.ts';

const log = pino({ level: 'silent' });

const open = (directory: string) =>
  openLocalMachine({ directory, hidden: [], allowUnsandboxed: false, log });

/** A workspace on the disk, and a process that hosts its machine. */
async function machineProcess() {
  const directory = await makeTemporaryDirectory();
  const spec: HostedSpec = {
    id: randomUUID(),
    driver: 'host',
    env: {},
    limits: {},
    network: 'none',
  };
  const first = await open(directory);
  await first.machine.setUp({
    spec,
    definition: { driver: 'host' },
    attempt: '1',
    signal: new AbortController().signal,
    onOutput: () => undefined,
  });
  await first.close();
  const program = new URL('../support/machine-process.ts', import.meta.url).pathname;
  const child = spawn(
    process.execPath,
    ['--conditions=chatd-source', program, directory, spec.id],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const until = async (matches: (event: Record<string, unknown>) => boolean) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the machine has ended');
      const event = JSON.parse(value) as Record<string, unknown>;
      if (matches(event)) return event;
    }
  };
  await until(({ event }) => event === 'open');
  return {
    until,
    run: (call: string, command: string) =>
      child.stdin.write(`${JSON.stringify({ call, command })}\n`),
    /** Kills the process, and opens the workspace in this one. */
    restart: async () => {
      child.kill('SIGKILL');
      await once(child, 'close');
      const again = await open(directory);
      onTestFinished(() => again.close());
      return { ...again, workspace: await again.machine.open(spec) };
    },
    file: (name: string) => readFile(join(directory, spec.id, 'files', name), 'utf8'),
  };
}

test('after kill -9, each call has one outcome: recorded, lost, or never accepted', async () => {
  const { run, until, restart, file } = await machineProcess();
  run('short', 'echo short >> effects; echo out; exit 3');
  run('long', 'echo long >> effects; seq 1 20000; exit 4');
  const waiting = new Set<unknown>(['short', 'long']);
  await until(({ event, call }) => event === 'exit' && waiting.delete(call) && waiting.size === 0);
  run('running', 'echo running >> effects; echo begun; sleep 1000');
  await until(({ event, call }) => event === 'output' && call === 'running');

  const { machine, workspace } = await restart();
  const attach = async (call: string) => {
    let output = '';
    const onOutput = (bytes: Uint8Array) => void (output += Buffer.from(bytes).toString('utf8'));
    const request = { call, command: `echo again >> effects`, cwd: workspace.root };
    const command = await workspace.commands.start({ ...request, background: false, onOutput });
    return { ...(await command.exit), output };
  };
  expect(await attach('short')).toMatchObject({ code: 3, output: 'out\n' });
  const { code, output } = await attach('long');
  expect(code).toBe(4);
  expect(output).toBe(Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join(''));
  await expect(attach('running')).rejects.toThrow(CallLost);
  expect((await workspace.outcome('running')).state).toBe('lost');
  expect((await file('effects')).split('\n').toSorted()).toEqual(['', 'long', 'running', 'short']);
  expect(await machine.calls()).toEqual(
    ['short', 'long', 'running'].map((call) => ({ call, running: false })),
  );

  expect((await workspace.outcome('new')).state).toBe('unknown');
  expect(await attach('new')).toMatchObject({ code: 0, output: '' });
  await machine.settle(['short', 'long', 'running', 'new']);
  expect(await machine.calls()).toEqual([]);
  for (const call of ['short', 'long', 'running', 'new'])
    await expect(attach(call)).rejects.toThrow(CallLost);
  expect((await file('effects')).match(/again/g)).toHaveLength(1);
});
