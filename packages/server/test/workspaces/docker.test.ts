import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@chatd/loop';
import { pino } from 'pino';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import {
  CheckpointsUnavailable,
  NO_CONTAINERS,
} from '../../src/machine/checkpoints/hosted-checkpoints.ts';
import { LocalMachine } from '../../src/machine/local/local-machine.ts';
import { DockerDriver } from '../../src/machine/drivers/docker/docker-driver.ts';
import { createArguments } from '../../src/machine/drivers/docker/docker-arguments.ts';
import { execute } from '../../src/tools/process/execute.ts';
import { processSignal } from '../../src/tools/process/process-signal.ts';
import { readFile } from '../../src/tools/files/read-file.ts';
import { editFiles } from '../../src/tools/files/edit-files.ts';
import { listFiles } from '../../src/tools/files/list-files.ts';
import { call, deskFor, refusal, text } from '../tools/workspace-handle.ts';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { marker, processesWith, TestBox } from './sandboxes.ts';

/*
 * These tests use a stand-in for Docker that logs its arguments and runs the commands on this machine. They check the
 * arguments, and that the tools work through them.
 */

const directory = await makeTemporaryDirectory();
process.env['FAKE_DOCKER'] = directory;
afterAll(() => rm(directory, { recursive: true, force: true }));

const driver = new DockerDriver(join(import.meta.dirname, 'fake-docker.sh'));
const spec = {
  id: randomUUID(),
  env: { GREETING: 'hello world' },
  limits: { memory_mb: 512, processes: 100 },
  network: 'none' as const,
  image: 'node:24',
};
const container = `chatd-${spec.id}`;
await driver.create(spec);
const folder = join(directory, 'folder');
await mkdir(folder);
await writeFile(join(folder, 'given.txt'), 'given\n');
await driver.copyIn(spec, folder);
const opened = await driver.open(spec, { network: 'fetch' });
await opened.close();
const sandbox = new TestBox(await driver.open(spec), join(directory, container, 'workspace'));
const handle = deskFor(sandbox);
const lines = () => readFileSync(join(directory, 'log'), 'utf8').split('\n');

test('a container has its limits and few capabilities', () => {
  expect(createArguments(spec)).toEqual(
    [
      ['create', '--name', container, '--label', 'chatd.workspace', '--init'],
      ['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
      ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'].flatMap((one) => ['--cap-add', one]),
      ['--memory', '512m', '--memory-swap', '512m', '--pids-limit', '100'],
      ['--env', 'GREETING=hello world', '--workdir', '/workspace', 'node:24', 'sleep', 'infinity'],
    ].flat(),
  );
});

test('a container loses its network after its setup', () => {
  const network = lines().filter((line) => line.startsWith('network'));
  expect(network.map((line) => line.trim())).toEqual([
    `network connect bridge ${container}`,
    `network disconnect bridge ${container}`,
  ]);
});

test('commands run in the container, with exit codes and both output streams', async () => {
  expect(await call(execute(handle), { command: 'echo out; echo err >&2; pwd; exit 4' })).toEqual({
    exit_code: 4,
    output: 'out\nerr\n/workspace\n',
  });
  expect(await text(readFile(handle), { path: 'given.txt' })).toBe('     1\tgiven');
});

test('a terminal of a container works through the Docker client', async () => {
  let output = '';
  const terminal = await sandbox.sandbox.terminal({
    argv: ['/bin/sh'],
    cols: 70,
    rows: 20,
    onOutput: (bytes) => {
      output += Buffer.from(bytes).toString('utf8');
    },
  });
  terminal.write(Buffer.from('stty size; echo "in $PWD as $TERM"\n'));
  await eventually(() => expect(output).toMatch(/20 70\r\nin \/workspace as xterm-256color/));
  terminal.resize({ cols: 60, rows: 10 });
  terminal.write(Buffer.from('stty size\n'));
  await eventually(() => expect(output).toContain('10 60'));
  const time = marker();
  terminal.write(Buffer.from(`sleep ${time}\n`));
  await eventually(() => expect(processesWith(`sleep\0${time}`)).toHaveLength(1));
  terminal.write(Buffer.from('\u0003'));
  terminal.write(Buffer.from('exit 4\n'));
  expect(await terminal.exit).toEqual({ code: 4, signal: null });
  const said = lines().some((line) => line.startsWith('exec --interactive --tty --workdir'));
  expect(said).toBe(true);
});

test('files are read, edited and listed by a shell in the container', async () => {
  await sandbox.write('sub/deep/a.txt', 'one\ntwo\n');
  expect(await sandbox.read('sub/deep/a.txt')).toBe('one\ntwo\n');
  const edits = [{ old_text: 'two', new_text: "it's 2 `now` $HOME" }];
  await call(editFiles(handle), { files: [{ path: 'sub/deep/a.txt', edits }] });
  expect(await sandbox.read('sub/deep/a.txt')).toBe("one\nit's 2 `now` $HOME\n");
  const bytes = Buffer.from([0, 255, 10, 13, 0]);
  await sandbox.sandbox.files.write(sandbox.path('odd name\n.bin'), bytes);
  const { bytes: read, size } = await sandbox.sandbox.files.read(
    sandbox.path('odd name\n.bin'),
    1,
    3,
  );
  expect([...read]).toEqual([255, 10, 13]);
  expect(size).toBe(5);
  await rm(join(sandbox.folder, 'odd name\n.bin'));
  await sandbox.write('node_modules/p/x', '');
  expect(await text(listFiles(handle), { depth: 4 })).toBe(
    'given.txt (6 bytes)\nnode_modules/\nsub/\nsub/deep/\nsub/deep/a.txt (23 bytes)',
  );
  expect(await sandbox.sandbox.files.stat(sandbox.path('none'))).toBeUndefined();
  expect(await sandbox.sandbox.files.stat(sandbox.path('sub'))).toMatchObject({
    kind: 'directory',
  });
});

test('missing paths, paths of the wrong type and paths outside the workspace have different errors', async () => {
  await symlink('/usr/bin', join(sandbox.folder, 'out'));
  expect(await refusal(readFile(handle), { path: 'none' })).toContain('does not exist');
  expect(await refusal(readFile(handle), { path: 'sub' })).toContain('not a regular file');
  expect(await refusal(readFile(handle), { path: 'out/env' })).toContain('outside the workspace');
  await expect(sandbox.write('out/planted', 'x')).rejects.toThrow('outside the workspace');
  expect(await refusal(listFiles(handle), { path: 'given.txt' })).toContain('not a folder');
});

test('the children of a command end with it, and a background command ends with a signal', async () => {
  const [first, second] = [marker(), marker()];
  await sandbox.sh(`setsid sleep ${first} & sleep 0.1`);
  await eventually(() => expect(processesWith(`sleep\0${first}`)).toEqual([]));
  const { process_id } = (await call(execute(handle), {
    command: `sleep ${second}`,
    run_in_background: true,
  })) as { process_id: string };
  await eventually(() => expect(processesWith(`sleep\0${second}`)).not.toEqual([]));
  await call(processSignal(handle), { process_id });
  await eventually(() => expect(processesWith(`sleep\0${second}`)).toEqual([]));
});

test('a port of a container is reached through its shell, and files are replaced by version', async () => {
  const box = sandbox.sandbox;
  await box.files.write('/workspace/echo.mjs', Buffer.from(ECHO));
  const program = await box.run({
    argv: ['/usr/bin/node', 'echo.mjs'],
    background: true,
    onOutput: () => undefined,
  });
  const { ports } = box;
  if (ports === undefined) throw new Error('a container has ports');
  let said = '';
  const closed = Promise.withResolvers<void>();
  const handlers = {
    onData: (bytes: Uint8Array) => void (said += Buffer.from(bytes).toString()),
    onClose: () => closed.resolve(),
  };
  await eventually(async () => {
    const connection = await ports.connect(ECHO_PORT, handlers);
    await connection.write(Buffer.from('over there'));
  });
  await closed.promise;
  expect(said).toBe('OVER THERE');
  await expect(ports.connect(1, handlers)).rejects.toThrow('No program listens on port 1');
  await program.signal('SIGKILL');

  const path = '/workspace/versions.txt';
  await box.files.write(path, Buffer.from('one'), null);
  await expect(box.files.write(path, Buffer.from('two'), null)).rejects.toThrow('has changed');
  const one = createHash('sha256').update('one').digest('hex');
  await box.files.write(path, Buffer.from('two'), one);
  // Repeated after a lost response.
  await box.files.write(path, Buffer.from('two'), one);
  await expect(box.files.write(path, Buffer.from('x'), one)).rejects.toThrow('has changed');
});

/** The stand-in shares the network of the tests. */
const ECHO_PORT = 20_000 + (process.pid % 20_000);
const ECHO = `
import { createServer } from 'node:net';
createServer((socket) => socket.once('data', (bytes) => socket.end(bytes.toString().toUpperCase())))
  .listen(${ECHO_PORT}, '127.0.0.1');
`;

const spawnOrphan = (run: string) => spawn('sleep', [marker()], { env: { CHATD_RUN: run } });

test('leftover commands of a killed machine end when the workspace is opened again', async () => {
  const [left, other] = [spawnOrphan(`${spec.id}-r1`), spawnOrphan(`${randomUUID()}-r1`)];
  const ended = once(left, 'exit');
  await driver.open(spec);
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(other.exitCode).toBeNull();
  other.kill();
});

test('a container is stopped and removed, and removing it again does nothing', async () => {
  await sandbox.sandbox.close();
  await driver.stop(spec);
  expect(lines().at(-2)?.trim()).toBe(`stop --time 2 ${container}`);
  await driver.remove(spec);
  await driver.remove(spec);
  expect(existsSync(sandbox.folder)).toBe(false);
});

test('a missing Docker command is reported', async () => {
  const none = new DockerDriver('/nonexistent/docker');
  await expect(none.create(spec)).rejects.toThrow(/docker rm failed: .*ENOENT/);
});

test('a container workspace has no checkpoints, and the refusal says why', async () => {
  const machine = new LocalMachine({
    id: randomUUID(),
    name: 'here',
    drivers: { docker: driver, host: driver },
    directory,
    log: pino({ level: 'silent' }),
    clock: systemClock,
    capabilities: async () => ({ sandbox: false, docker: true, desktop: false }),
  });
  onTestFinished(() => machine.close());
  await driver.create(spec);
  const { checkpoints } = await machine.open({ ...spec, driver: 'docker' });
  await expect(checkpoints.save(randomUUID(), null)).rejects.toThrow(NO_CONTAINERS);
  await expect(checkpoints.restore(randomUUID(), 'any', 'any')).rejects.toThrow(
    CheckpointsUnavailable,
  );
});
