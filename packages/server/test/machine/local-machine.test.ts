import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { eventually } from '@chatd/test-server/eventually';
import { Journal } from '../../src/machine/local/journal.ts';
import { openLocalMachine } from '../../src/machine/local/open-local-machine.ts';
import {
  type CommandRequest,
  type HostedSpec,
  type HostedWorkspace,
  MachineOffline,
} from '../../src/machine/machine.ts';

const directory = await makeTemporaryDirectory();
const { machine, close } = await openLocalMachine({
  directory,
  hidden: [],
  allowUnsandboxed: false,
  log: pino({ level: 'silent' }),
});
afterAll(async () => {
  await close();
  await rm(directory, { recursive: true, force: true });
});

const newSpec = (): HostedSpec => ({
  id: randomUUID(),
  driver: 'host',
  env: {},
  limits: {},
  network: 'none',
});
const setUp = (spec: HostedSpec, setup: string, attempt: string, output: string[] = []) =>
  machine.setUp({
    spec,
    definition: { driver: 'host', setup },
    attempt,
    signal: new AbortController().signal,
    onOutput: (bytes) => output.push(Buffer.from(bytes).toString('utf8')),
  });

const spec = newSpec();
await setUp(spec, 'true', '1');
const workspace = await machine.open(spec);

const start = (
  over: Partial<CommandRequest> & { command: string },
  on: HostedWorkspace = workspace,
) =>
  on.commands.start({
    call: randomUUID(),
    cwd: on.root,
    background: false,
    onOutput: () => undefined,
    ...over,
  });
const read = async (name: string, on: HostedWorkspace = workspace) =>
  Buffer.from((await on.files.read(join(on.root, name), 0, 1_000_000)).bytes).toString('utf8');
const files = (some: Record<string, string>) =>
  Object.entries(some).map(([name, text]) => ({
    path: join(workspace.root, name),
    bytes: Buffer.from(text),
  }));

const viewer = (onOutput: (text: string) => void) => ({
  onOutput: (bytes: Uint8Array) => onOutput(Buffer.from(bytes).toString('utf8')),
  onEnd: () => undefined,
});

test('a repeated call attaches to its command, from an offset, while it runs and afterwards', async () => {
  const call = randomUUID();
  const command = 'echo x >> count; printf 12345; until [ -e go ]; do sleep 0.02; done; printf 67';
  const seen: string[][] = [[], [], []];
  const follow = (index: number, from: number) =>
    start({
      call,
      command,
      from,
      onOutput: (bytes) => void seen[index]?.push(Buffer.from(bytes).toString('utf8')),
    });
  const first = await follow(0, 0);
  await eventually(() => expect(seen[0]?.join('')).toBe('12345'));
  const second = await follow(1, 3);
  expect(second.id).toBe(first.id);
  await eventually(() => expect(seen[1]?.join('')).toBe('45'));
  second.leave();
  await workspace.files.write(join(workspace.root, 'go'), Buffer.from(''));
  expect(await first.exit).toMatchObject({ code: 0 });
  expect(await (await follow(2, 4)).exit).toMatchObject({ code: 0 });
  expect(seen.map((chunks) => chunks.join(''))).toEqual(['1234567', '45', '567']);
  expect(await read('count')).toBe('x\n');
});

test('attaching never starts a command', async () => {
  await expect(start({ command: 'touch attached', attach: true })).rejects.toThrow(
    'does not know the call',
  );
});

test('a command that the sandbox refuses has no effect and can be called again', async () => {
  const call = randomUUID();
  await expect(start({ call, command: 'true', cwd: '/none' })).rejects.toThrow('ENOENT');
  expect(await (await start({ call, command: 'true' })).exit).toMatchObject({ code: 0 });
});

test('a settled call that still runs is killed; a background command continues', async () => {
  const [foreground, background] = [randomUUID(), randomUUID()];
  const running = await start({ call: foreground, command: 'sleep 1000' });
  const kept = await start({ call: background, command: 'sleep 1000', background: true });
  await machine.settle([foreground, background]);
  expect(await running.exit).toMatchObject({ signal: 'SIGKILL' });
  expect(await workspace.commands.find(kept.id)).toMatchObject({ exit: undefined });
  expect((await workspace.commands.list()).map(({ id }) => id)).toContain(kept.id);
  await workspace.commands.signal(kept.id, 'SIGKILL');
});

test('a call that is settled while it starts does not run', async () => {
  const call = randomUUID();
  const starting = start({ call, command: 'echo ran > settled-early' });
  starting.catch(() => undefined);
  await machine.settle([call]);
  await expect(starting).rejects.toThrow('given up');
  await expect(read('settled-early')).rejects.toThrow('does not exist');
  expect((await machine.calls()).map((one) => one.call)).not.toContain(call);
});

test('settling a call deletes its output from disk', async () => {
  const call = randomUUID();
  const before = (await readdir(join(directory, '.journal'))).length;
  await (
    await start({ call, command: 'head -c 100000 /dev/zero' })
  ).exit;
  expect((await readdir(join(directory, '.journal'))).length).toBe(before + 1);
  await machine.settle([call]);
  await eventually(async () =>
    expect((await readdir(join(directory, '.journal'))).length).toBe(before),
  );
});

test('file writes are all-or-nothing, and happen once per call', async () => {
  const call = randomUUID();
  await workspace.writeAll(randomUUID(), files({ 'a.txt': 'one', 'b.txt': 'one' }), '');
  expect(await workspace.writeAll(call, files({ 'a.txt': 'two', 'c.txt': 'two' }), 'done')).toBe(
    'done',
  );
  await workspace.writeAll(randomUUID(), files({ 'a.txt': 'three' }), '');
  expect(await workspace.writeAll(call, files({ 'a.txt': 'two' }), 'other')).toBe('done');
  expect(await workspace.outcome(call)).toEqual({ state: 'finished', result: 'done' });
  expect(await read('a.txt')).toBe('three');

  const failing = randomUUID();
  await expect(
    workspace.writeAll(
      failing,
      files({ 'a.txt': 'four', 'new.txt': 'four', 'b.txt/below': 'four' }),
      '',
    ),
  ).rejects.toThrow('b.txt');
  expect(await read('a.txt')).toBe('three');
  expect(await workspace.files.stat(join(workspace.root, 'new.txt'))).toBeUndefined();
  expect(await workspace.outcome(failing)).toEqual({ state: 'unknown' });
});

test('opening a workspace completes the file writes that the machine had staged when it ended', async () => {
  const own = newSpec();
  const folder = await makeTemporaryDirectory();
  const open = () =>
    openLocalMachine({
      directory: folder,
      hidden: [],
      allowUnsandboxed: false,
      log: pino({ level: 'silent' }),
    });
  const first = await open();
  await first.machine.setUp({
    spec: own,
    definition: { driver: 'host' },
    attempt: '1',
    signal: new AbortController().signal,
    onOutput: () => undefined,
  });
  await first.close();
  const journal = await Journal.open(join(folder, '.journal'), Date.now);
  const contents = ['one', 'second'].map((text) => Buffer.from(text));
  const staged = {
    workspace: own.id,
    call: 'c',
    file: journal.newFile(),
    files: ['/workspace/a.txt', '/workspace/b.txt'].map((path, index) => ({
      path,
      size: contents[index]?.length ?? 0,
    })),
    result: 'both',
  };
  await journal.stage(staged, contents);
  await journal.close();
  const again = await open();
  afterAll(async () => {
    await again.close();
    await rm(folder, { recursive: true, force: true });
  });
  const opened = await again.machine.open(own);
  expect(await read('a.txt', opened)).toBe('one');
  expect(await read('b.txt', opened)).toBe('second');
  expect(await opened.outcome('c')).toEqual({ state: 'finished', result: 'both' });
});

test('a stopped machine does not touch its directory', async () => {
  const folder = await makeTemporaryDirectory();
  const log = pino({ level: 'silent' });
  const settings = { directory: folder, hidden: [], allowUnsandboxed: false, log };
  const stopped = await openLocalMachine(settings);
  onTestFinished(async () => {
    await stopped.close();
    await rm(folder, { recursive: true, force: true });
  });
  expect(await stopped.machine.calls()).toEqual([]);
  await stopped.close();
  await expect(stopped.machine.calls()).rejects.toThrow(MachineOffline);
  await expect(stopped.machine.open(newSpec())).rejects.toThrow(MachineOffline);
});

test('a setup attempt runs once, however many callers follow it; a new attempt starts over', async () => {
  const own = newSpec();
  const setup = 'echo run >> runs; echo begun; sleep 0.3; echo over';
  const [one, two]: string[][] = [[], []];
  const first = setUp(own, setup, 'a', one);
  await eventually(() => expect(one?.join('')).toContain('begun'));
  const results = await Promise.all([first, setUp(own, setup, 'a', two)]);
  expect(results).toEqual([
    { ok: true, baselines: {} },
    { ok: true, baselines: {} },
  ]);
  expect(two?.join('')).toBe(one?.join(''));
  expect(await setUp(own, setup, 'a')).toEqual({ ok: true, baselines: {} });
  expect(await read('runs', await machine.open(own))).toBe('run\n');
  await machine.stop(own);
  expect(await setUp(own, 'echo "why not"; exit 5', 'b')).toMatchObject({
    ok: false,
    error: expect.stringContaining('exit code 5'),
  });
  // A replica that was cut off does not stop the attempt that replaced its own.
  const output: string[] = [];
  const newest = setUp(own, 'echo begun; sleep 0.3', 'c', output);
  await eventually(() => expect(output.join('')).toContain('begun'));
  await expect(setUp(own, setup, 'b')).rejects.toThrow('started again');
  expect(await newest).toEqual({ ok: true, baselines: {} });
});

test('a command that exceeds its time limit is kept even if no caller asks for it', async () => {
  const [kept, other] = [randomUUID(), randomUUID()];
  const { id, isAttached } = await start({ call: kept, command: 'sleep 60', keepAfterMs: 20 });
  expect(isAttached).toBe(false);
  const abandoned = await start({ call: other, command: 'sleep 60', keepAfterMs: 60_000 });
  await eventually(async () =>
    expect(await workspace.commands.list()).toContainEqual(expect.objectContaining({ id })),
  );
  expect((await start({ call: kept, command: 'ignored' })).isAttached).toBe(true);
  await machine.settle([kept, other]);
  expect(await abandoned.exit).toMatchObject({ signal: 'SIGKILL' });
  expect((await workspace.commands.find(id))?.exit).toBeUndefined();
  await workspace.commands.signal(id, 'SIGKILL');
});

test('all users of a workspace share one instance and its terminals', async () => {
  expect(await machine.open(spec)).toBe(workspace);
  expect(await machine.peek(spec.id)).toBe(workspace);
  expect(await machine.peek(randomUUID())).toBeUndefined();
  expect(await machine.workspaces()).toContain(spec.id);
  const { id } = await workspace.terminals.open(undefined, { cols: 80, rows: 24 });
  expect(await workspace.terminals.open(id, { cols: 80, rows: 24 })).toEqual({ id, isNew: false });
  let [left, right] = ['', ''];
  const view = await workspace.terminals.attach(
    id,
    undefined,
    viewer((text) => (left += text)),
  );
  view?.write(Buffer.from('echo a"b"c\n'));
  await eventually(() => expect(left).toContain('abc'));
  await workspace.terminals.attach(
    id,
    undefined,
    viewer((text) => (right += text)),
  );
  expect(right).toContain('abc');
  expect(await workspace.terminals.list()).toMatchObject([{ id, viewers: 2 }]);
});
