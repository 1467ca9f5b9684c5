import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '@chatd/test-server/mcp';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { chatd } from './support/in-process.ts';
import { startServer } from './support/server.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const SSHD = '/usr/sbin/sshd';
const CLI = join(import.meta.dirname, '../src/main.ts');

const npm = (cwd: string, ...args: string[]) =>
  execFileSync('npm', [...args, '--offline', '--no-audit', '--no-fund'], { cwd, stdio: 'pipe' });

/** A host on this computer: an SSH server whose home directory is a folder of the test. */
describe.skipIf(!existsSync(SSHD))('a host with SSH', () => {
  let folder = '';
  let home = '';
  let port = 0;
  let hostKey = '';
  let env: Readonly<Record<string, string>> = {};
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const server = await startServer({ local_machine: false, allow_unsandboxed: true });
    ({ env } = server);
    folder = await makeTemporaryDirectory();
    home = join(folder, 'home');
    await mkdir(home);
    await chmod(folder, 0o755);
    for (const name of ['host', 'user']) {
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
    }
    hostKey = (await readFile(join(folder, 'host.pub'), 'utf8')).split(' ').slice(0, 2).join(' ');
    await cp(join(folder, 'user.pub'), join(folder, 'authorized_keys'));
    port = await freePort();
    const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
    await writeFile(
      join(folder, 'sshd_config'),
      `Port ${port}
ListenAddress 127.0.0.1
HostKey ${folder}/host
AuthorizedKeysFile ${folder}/authorized_keys
StrictModes no
UsePAM no
PidFile none
ForceCommand export HOME='${home}' PATH='${path}'; cd; sh -c "$SSH_ORIGINAL_COMMAND"
`,
    );
    if (process.geteuid?.() === 0) await mkdir('/run/sshd', { recursive: true });
    const sshd = spawn(SSHD, ['-D', '-e', '-f', join(folder, 'sshd_config')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    ends.push(async () => {
      sshd.kill();
      await once(sshd, 'close');
    });
    await once(sshd.stderr, 'data');
    await pack(join(folder, 'packed'));
  });

  afterAll(async () => {
    const pid = await readFile(join(home, '.chatd-machine/pid'), 'utf8').catch(() => undefined);
    if (pid !== undefined) process.kill(Number(pid), 'SIGTERM');
    for (const end of ends) await end();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Packages in the form of `npm run pack`, with a program that runs the sources. */
  async function pack(into: string): Promise<void> {
    const source = join(folder, 'source');
    await mkdir(source);
    await mkdir(into);
    const script = `#!/bin/sh\nexec '${process.execPath}' --conditions=chatd-source '${CLI}' "$@"\n`;
    await writeFile(join(source, 'chatd.sh'), script, { mode: 0o755 });
    const bin = { name: 'chatd', version: '1.0.0', bin: { chatd: 'chatd.sh' } };
    await writeFile(join(source, 'package.json'), JSON.stringify(bin));
    npm(source, 'pack', '--pack-destination', into);
    const packages = { private: true, dependencies: { chatd: 'file:chatd-1.0.0.tgz' } };
    await writeFile(join(into, 'package.json'), JSON.stringify(packages));
    npm(into, 'install', '--package-lock-only');
  }

  const install = (name: string, ...more: string[]) =>
    chatd(
      ['machines', 'install', name, `${userInfo().username}@127.0.0.1`, '--port', `${port}`].concat(
        ['--identity', join(folder, 'user')],
        more,
      ),
      { env },
    );

  test('gets chatd, which connects as a new machine', async () => {
    const from = join(folder, 'packed');
    const options = ['--host-key', hostKey, '--from', from, '--label', 'zone=a'];
    const { code, stderr } = await install('builder', ...options);
    expect(stderr).toContain('The machine builder is online.');
    expect(code).toBe(0);
    const { stdout } = await chatd(['machines', 'show', 'builder', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'online', labels: { zone: 'a' } });
    const kept = await readFile(join(home, '.chatd-machine/environment'), 'utf8');
    expect(kept).toMatch(/^CHATD_MACHINE_TOKEN='chatd_machine_/m);
  });

  test('with another key is refused, and no machine is created', async () => {
    const other = execFileSync('ssh-keygen', ['-y', '-f', join(folder, 'user')], {
      encoding: 'utf8',
    });
    for (const key of [['--host-key', other.trim()], []]) {
      const { code, stderr } = await install('impostor', ...key, '--from', join(folder, 'packed'));
      expect(stderr).toMatch(/Host key verification failed/);
      expect(code).toBe(1);
    }
    const { stdout } = await chatd(['machines', 'list', '--json'], { env });
    expect(stdout).not.toContain('impostor');
  });

  test('that cannot reach the deployment is reported with the log, and its machine is deleted', async () => {
    const wrong = ['--connect-to', `http://127.0.0.1:${await freePort()}`];
    const { code, stderr } = await install('lost', '--host-key', hostKey, ...wrong, '--wait', '3');
    expect(stderr).toMatch(/did not connect within 3 seconds[^]*ECONNREFUSED/);
    expect(code).toBe(1);
    const { stdout } = await chatd(['machines', 'list', '--json'], { env });
    expect(stdout).not.toContain('lost');
  });
});
