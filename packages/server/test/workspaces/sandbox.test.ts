import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import type { IncomingConnection } from '../../src/machine/drivers/driver.ts';
import { marker, processesWith, TestMachine } from './sandboxes.ts';

const SECRET = 'the-secret-of-the-server-0123456789';
/** More than the sandbox buffers. */
const SENT = 48 * 1024 * 1024;
const LIMITS = { memory_mb: 256, processes: 64 };

process.env['CHATD_TEST_SECRET'] = SECRET;
const machine = await TestMachine.start();
const protection = await machine.driver.protection();
const sandbox = await machine.open({ limits: LIMITS });
const secretFile = join(machine.directory, 'chatd.json');
await writeFile(secretFile, SECRET);
await chmod(secretFile, 0o644);

/** Attempts and their outcomes, printed at the end. */
const attempts: { attempt: string; outcome: string }[] = [];
const tried = (attempt: string, outcome: string) => attempts.push({ attempt, outcome });

afterAll(() => {
  const width = Math.max(...attempts.map(({ attempt }) => attempt.length));
  const lines = attempts.map(({ attempt, outcome }) => `  ${attempt.padEnd(width)}  ${outcome}`);
  process.stdout.write(
    `\nAttempts on the sandbox (limits: ${protection.limits})\n${lines.join('\n')}\n`,
  );
});

const lastLine = (text: string) => text.trim().split('\n').at(-1)?.slice(0, 90) ?? '';

test('bubblewrap is installed and works (apt-get install bubblewrap)', () => {
  expect(protection.sandbox).toMatchObject({ works: true });
});

describe('files outside of the workspace cannot be read', () => {
  test.each([
    ['the data directory of the server', `cat ${secretFile}`],
    ['the folders of other workspaces', `ls ${join(machine.directory, 'workspaces')}`],
    ['the passwords of the machine', 'cat /etc/shadow'],
    ['the home of root', 'ls /root'],
    ['other homes', 'ls /home | grep -v "^agent$"'],
    ['the environment of the server', `cat /proc/${process.pid}/environ`],
    ['the files of the server, by its processes', `cd /proc/${process.pid}/root && ls`],
    ['the variables of its own processes', `cat /proc/*/environ | tr '\\0' '\\n' | grep ${SECRET}`],
    ['its environment', `env | grep ${SECRET}`],
    ['sockets of the machine', 'ls /run | grep -v "^chatd$"'],
    ['disks', 'ls /dev | grep -E "^(sd|vd|nvme|mem$|kmsg$)"'],
  ])('%s', async (what, command) => {
    const { code, output } = await sandbox.sh(command);
    tried(`read: ${what}`, lastLine(output) || 'nothing there');
    expect(code).not.toBe(0);
    expect(output).not.toContain(SECRET);
  });
});

describe('files outside of the workspace cannot be written', () => {
  test.each([
    ['the data directory of the server', `echo x > ${join(machine.directory, 'planted')}`],
    ['programs', 'echo x > /usr/bin/planted'],
    ['settings', 'echo x > /etc/planted'],
    ['the root', 'echo x > /planted'],
    ['devices', 'echo x > /dev/planted'],
    ['the program inside the sandbox', 'echo x >> /run/chatd/inside/main.js'],
    ['settings of the kernel', 'echo x > /proc/sys/kernel/core_pattern'],
    ['a new mount', 'mount -t tmpfs none /mnt || mount --bind /workspace /usr'],
    ['a new namespace', 'unshare --user --map-root-user true'],
    ['becoming another user', 'su -c true || sudo -n true'],
  ])('%s', async (what, command) => {
    const { code, output } = await sandbox.sh(command);
    tried(`write: ${what}`, lastLine(output));
    expect(code).not.toBe(0);
    expect(existsSync(join(machine.directory, 'planted'))).toBe(false);
  });

  test('files of a workspace are not visible in others', async () => {
    await sandbox.sh('echo mine > made-inside; echo x > /tmp/made-inside');
    expect(readFileSync(join(sandbox.folder, 'made-inside'), 'utf8')).toBe('mine\n');
    expect(existsSync('/tmp/made-inside')).toBe(false);
  });
});

describe('links do not lead out of the workspace', () => {
  test.each([
    ['to the data directory', secretFile],
    ['to a file of the system', '/etc/passwd'],
    ['through the processes', '/proc/self/environ'],
    ['upwards', '../../../../../etc/passwd'],
  ])('a link %s is not read', async (what, target) => {
    await sandbox.sh(`ln -sfn ${target} link-out`);
    const failure = await sandbox.read('link-out').catch((error: unknown) => String(error));
    tried(`read a link ${what}`, failure);
    expect(failure).toMatch(/outside the workspace|does not exist|not a regular file/);
  });

  test('a link that was created from outside is not followed', async () => {
    await symlink(machine.directory, join(sandbox.folder, 'link-folder'));
    await expect(sandbox.read('link-folder/chatd.json')).rejects.toThrow(
      /does not exist|outside the workspace/,
    );
    await expect(sandbox.write('link-folder/planted', 'x')).rejects.toThrow(
      /denied|does not exist|outside the workspace/i,
    );
    expect(existsSync(join(machine.directory, 'planted'))).toBe(false);
  });

  test('a link to a folder of the system is not written through', async () => {
    await sandbox.sh('ln -sfn /home/agent link-home; ln -sfn /home/agent/.gitconfig link-config');
    await expect(sandbox.write('link-home/planted', 'x')).rejects.toThrow(/outside the workspace/);
    await expect(sandbox.write('link-config', 'x')).rejects.toThrow(/outside the workspace/);
    tried('write through a link', 'outside the workspace');
  });

  test('a file that is replaced by a link during a read is read as one or the other', async () => {
    const swapping = await sandbox.sandbox.run({
      argv: [
        sandbox.sandbox.shell,
        '-c',
        `echo harmless > real; while :; do
           ln -sfn ${secretFile} swap.new; mv -T swap.new swap
           ln -sfn /etc/passwd swap.new; mv -T swap.new swap
           cp real swap.new; mv -T swap.new swap
         done`,
      ],
      background: true,
      onOutput: () => undefined,
    });
    const seen = { harmless: 0, refused: 0 };
    // Until both outcomes of the race were seen often enough.
    for (let tries = 0; tries < 20_000; tries++) {
      const text = await sandbox.read('swap').catch(() => undefined);
      if (text === undefined) seen.refused += 1;
      else seen.harmless += 1;
      expect(text ?? '').not.toContain(SECRET);
      expect(text ?? '').not.toContain('agent');
      if (seen.harmless > 50 && seen.refused > 50 && tries > 500) break;
    }
    await swapping.signal('SIGKILL');
    await swapping.exit;
    tried('swap a file for a link while it is read', JSON.stringify(seen));
    expect(seen.harmless).toBeGreaterThan(50);
    expect(seen.refused).toBeGreaterThan(50);
  });

  test('a pipe in place of a file blocks no read', async () => {
    await sandbox.sh('rm -f pipe; mkfifo pipe');
    await expect(sandbox.read('pipe')).rejects.toThrow(/not a regular file/);
    await expect(sandbox.write('pipe', 'x')).rejects.toThrow(/not a regular file/);
  });
});

describe('no process survives its workspace', () => {
  test.each([
    ['in the background', (time: string) => `sleep ${time} & sleep 0.05`],
    ['in its own session', (time: string) => `setsid sleep ${time} & sleep 0.05`],
    ['without parents', (time: string) => `(setsid sh -c "sleep ${time} &" &) ; sleep 0.1`],
    ['without its marker', (time: string) => `(env -i setsid sleep ${time} &) ; sleep 0.05`],
    [
      'ignoring signals',
      (time: string) => `(trap '' TERM HUP INT; setsid sleep ${time} &) ; sleep 0.05`,
    ],
  ])('a child %s dies with its call', async (what, command) => {
    const time = marker();
    const other = await sandbox.sandbox.run({
      argv: ['sleep', marker()],
      background: true,
      onOutput: () => undefined,
    });
    await sandbox.sh(command(time));
    await eventually(() => expect(processesWith(`sleep\0${time}`)).toEqual([]));
    tried(`survive the call ${what}`, 'dead');
    // An intended background process keeps running.
    expect(await Promise.race([other.exit, Promise.resolve('runs')])).toBe('runs');
    await other.signal('SIGKILL');
    await other.exit;
  });

  test('background processes end with their workspace', async () => {
    const own = await machine.open();
    const time = marker();
    await own.sandbox.run({
      argv: ['sh', '-c', `setsid env -i sleep ${time} & exec sleep ${time}`],
      background: true,
      onOutput: () => undefined,
    });
    await eventually(() => expect(processesWith(`sleep\0${time}`)).toHaveLength(2));
    await own.sandbox.close();
    await eventually(() => expect(processesWith(`sleep\0${time}`)).toEqual([]));
    tried('survive the stop of the workspace', 'dead');
  });

  test('background processes end with a killed server', async () => {
    const time = marker();
    const server = spawn(
      process.execPath,
      [
        '--conditions=chatd-source',
        join(import.meta.dirname, '..', 'support', 'holding-process.ts'),
        time,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    onTestFinished(() => endIfAlive(server));
    await once(server.stdout, 'data');
    await eventually(() => expect(processesWith(`sleep\0${time}`)).toHaveLength(2));
    server.kill('SIGKILL');
    await eventually(() => expect(processesWith(time)).toEqual([]));
    tried('survive kill -9 of the server', 'dead');
  });

  test('killing every process inside ends the sandbox', async () => {
    const own = await machine.open();
    let output = '';
    const killing = await own.sandbox.run({
      argv: [own.sandbox.shell, '-c', 'until [ -e go ]; do sleep 0.02; done; kill -9 -1; sleep 60'],
      onOutput: (bytes) => (output += Buffer.from(bytes).toString()),
    });
    await own.write('go', '');
    const { signal } = await killing.exit;
    tried('kill the inside of the sandbox', `ended by ${signal}`);
    expect(output).toBe('');
    expect(signal).toBe('SIGKILL');
    expect(await own.sandbox.closed).toContain('exited');
    await expect(own.sh('echo')).rejects.toThrow(/sandbox of the workspace ended/);
  });
});

function endIfAlive(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
}

describe('limits', () => {
  test('a fork bomb is contained, and the workspace stays usable', async () => {
    const bomb = `bomb${marker()}`;
    const { output } = await sandbox.sh(
      `${bomb}() { ${bomb} | ${bomb} & }; ${bomb}; sleep 1; echo over`,
    );
    tried('fork bomb', lastLine(output.replaceAll('over', '')) || 'held');
    expect(output).toMatch(/fork|Resource temporarily unavailable|Cannot allocate/);
    expect((await sandbox.sh('echo alive')).output).toBe('alive\n');
    await eventually(() => expect(processesWith(bomb)).toEqual([]));
  });

  test('memory is limited, and the workspace stays usable', async () => {
    // A single line has to be held in memory as a whole.
    const { code, signal, output } = await sandbox.sh(
      'head -c 1500000000 /dev/zero | tail -n 1 | wc -c',
    );
    tried('memory hog', `held after ${lastLine(output)} bytes, ${signal ?? code}`);
    expect(output).not.toContain('1500000000');
    expect((await sandbox.sh('echo alive')).output).toBe('alive\n');
  });

  test('memory in tmpfs files is limited, too', async () => {
    const { code, output } = await sandbox.sh('head -c 500000000 /dev/zero > /dev/shm/hog');
    tried('fill shared memory', lastLine(output));
    expect(code).not.toBe(0);
    await sandbox.sh('rm -f /dev/shm/hog');
  });

  test('without control groups, the limit applies to each command', async () => {
    const simple = await TestMachine.start({ cgroups: null });
    const own = await simple.open({ limits: LIMITS });
    const hog = await own.sh('head -c 1500000000 /dev/zero | tail -n 1 | wc -c');
    expect(hog.output).not.toContain('1500000000');
    expect(hog.output).toMatch(/memory exhausted|Cannot allocate/);
    const bomb = await own.sh('bomb() { bomb | bomb & }; bomb; sleep 1; echo over');
    expect(bomb.output).toMatch(/fork|Resource temporarily unavailable/);
    expect((await own.sh('echo alive')).output).toBe('alive\n');
    tried('memory hog and fork bomb without control groups', hog.output.split('\n', 1)[0] ?? '');
  });
});

const reach = (port: number) =>
  `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;

describe('network', () => {
  test('a workspace without network cannot reach the loopback of the machine', async () => {
    const server = createServer((_, response) => response.end('reached'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const off = await sandbox.sh(reach(port));
    tried('network when it is off', lastLine(off.output));
    expect(off.code).not.toBe(0);
    expect(off.output).not.toContain('reached');
  });

  test('without network, commands of a workspace still reach each other', async () => {
    const server = await sandbox.sandbox.run({
      argv: [
        '/run/chatd/node',
        '-e',
        `require('http').createServer((q, s) => s.end('inside')).listen(4321)`,
      ],
      background: true,
      onOutput: () => undefined,
    });
    await eventually(async () =>
      expect((await sandbox.sh(reach(4321))).output).toContain('inside'),
    );
    await server.signal('SIGKILL');
    await server.exit;
  });
});

test('a program that reads slowly gets everything that the server sends', async () => {
  const own = await machine.open();
  const connected = Promise.withResolvers<IncomingConnection>();
  await own.sandbox.gateway?.open(['git.example'], connected.resolve);
  const reading = own.sh(
    `/run/chatd/node -e '
       const socket = require("net").connect(3129, "127.0.0.1");
       let count = 0;
       const end = () => { console.log("read", count); process.exit(); };
       socket.pause();
       setTimeout(() => socket.resume(), 300);
       socket.on("close", end).on("data", (bytes) => (count += bytes.length) >= ${SENT} && end());'`,
  );
  const incoming = await connected.promise;
  const connection = incoming.take({ onData: () => undefined, onClose: () => undefined });
  const chunk = Buffer.alloc(1024 * 1024);
  for (let sent = 0; sent < SENT; sent += chunk.length) await connection.write(chunk);
  expect((await reading).output).toContain(`read ${SENT}`);
});

test('a command cannot write to the pipe of its sandbox or stop it', async () => {
  const own = await machine.open();
  // The most that a command can reach of the pipe.
  const { output } = await own.sh('echo junk > /proc/2/fd/1; kill -STOP 1; echo still here');
  expect(output).toContain('still here');
});

test('without a sandbox, commands run only if an admin allows it', async () => {
  const support = { works: false, why: 'bubblewrap (bwrap) is not installed' } as const;
  const closed = await TestMachine.start({ support });
  await expect(closed.open()).rejects.toThrow(/No sandbox is available on this host \(bubblewrap/);
  const allowed = await TestMachine.start({ support, allowUnsandboxed: true });
  // Without a sandbox, the process limit counts all processes of the account, including those of other tests.
  const limits = { memory_mb: LIMITS.memory_mb };
  const bare = await allowed.open({ limits, env: { GIVEN: 'yes' } });
  const { output } = await bare.sh('env; id -u');
  expect(output).toContain('GIVEN=yes');
  expect(output).not.toContain(SECRET);
  if (process.geteuid?.() === 0) expect(output).not.toMatch(/^0$/m);
  await bare.sh('ln -sfn /etc/passwd out');
  await expect(bare.read('out')).rejects.toThrow(/outside the workspace/);
  const time = marker();
  await bare.sh(`(setsid sleep ${time} &) ; sleep 0.05`);
  await eventually(() => expect(processesWith(`sleep\0${time}`)).toEqual([]));
  const left = await bare.sandbox.run({
    argv: ['sh', '-c', `setsid sleep ${time} &`],
    background: true,
    onOutput: () => undefined,
  });
  await left.exit;
  await eventually(() => expect(processesWith(`sleep\0${time}`)).toHaveLength(1));
  await bare.sandbox.close();
  await eventually(() => expect(processesWith(`sleep\0${time}`)).toEqual([]));
});
