import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@chatd/loop';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Desktop } from '../../src/desktop/desktop.ts';
import type { Sandbox } from '../../src/machine/drivers/driver.ts';
import { LocalDesktop } from '../../src/machine/local/local-desktop.ts';
import type { DesktopSize } from '../../src/machine/machine.ts';
import { spawnServer } from '@chatd/test-server';
import { createTestDatabase } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { processesWith, TestMachine } from '../workspaces/sandboxes.ts';
import { DesktopClient } from './desktop-client.ts';
import { hasDesktops } from '@chatd/test-server/desktop';

const DESKTOPS = 10;
/** A unique size, by which tests find the processes of a desktop. */
const newSize = () => ({ width: randomInt(400, 900), height: randomInt(300, 700) });
const named = ({ width, height }: { width: number; height: number }) => `${width}x${height}`;
const serversOf = (size: { width: number; height: number }) =>
  processesWith(named(size)).filter((pid) => programOf(pid).includes('vnc'));

function programOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return '';
  }
}

/** Sockets and locks of displays in a folder. */
async function leftIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isSocket() || /^\.t?X.*-lock$|^Xauthority$|^rfb$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** Displays of the machine itself, which desktops of workspaces must not add to. */
const machineDisplays = () => readdirSync('/tmp').filter((name) => /^\.t?X\d+-lock$/.test(name));

const inodeOf = (column: number) => (line: string) => line.trim().split(/\s+/)[column] ?? '';

describe.skipIf(!hasDesktops)('cleanup of desktops', () => {
  test(
    'ten stopped desktops leave no process, socket, or lock behind',
    { timeout: 90_000 },
    async () => {
      const machine = await TestMachine.start();
      const before = machineDisplays();
      const size = newSize();
      const sandboxes = await Promise.all(Array.from({ length: DESKTOPS }, () => machine.open()));
      const desktops = await Promise.all(sandboxes.map(({ sandbox }) => start(sandbox, size)));
      expect(serversOf(size)).toHaveLength(DESKTOPS);
      for (const desktop of desktops) {
        const screen = await desktop.screen();
        expect(screen.size).toEqual(size);
      }
      // Even while they run, nothing is on disk.
      expect(await leftIn(machine.directory)).toEqual([]);
      expect(machineDisplays()).toEqual(before);

      await Promise.all(sandboxes.map(({ sandbox }) => sandbox.close()));
      await eventually(() => expect(processesWith(named(size))).toEqual([]));
      expect(await leftIn(machine.directory)).toEqual([]);
      expect(machineDisplays()).toEqual(before);
    },
  );

  test('ten desktops of a killed server leave nothing behind', { timeout: 120_000 }, async () => {
    const directory = await makeTemporaryDirectory();
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const database = await createTestDatabase(onTestFinished);
    const size = newSize();
    const server = await spawnServer(join(directory, 'data'), {
      env: { CHATD_DATABASE_URL: database.url, CHATD_SECRET_KEY: 'a-secret-key-for-this-test' },
    });
    onTestFinished(async () => {
      server.child.kill('SIGKILL');
      await server.ended;
    });
    const { client } = server;
    const { id: template_id } = await client.ok('createTemplate', {
      body: { name: 'desk', driver: 'host', desktop: size },
    });
    const one = async () => {
      const workspace = await client.ok('createWorkspace', { body: { template_id } });
      const chat = await client.ok('createChat', {
        body: { content: 'hello', workspace_id: workspace.id },
      });
      const params = { workspace_id: workspace.id };
      await eventually(async () =>
        expect(await client.ok('getWorkspace', { params })).toMatchObject({ status: 'ready' }),
      );
      const watcher = await DesktopClient.open(client, chat.id);
      expect(watcher.rfb.screen).toMatchObject(size);
    };
    await Promise.all(Array.from({ length: DESKTOPS }, one));
    expect(serversOf(size)).toHaveLength(DESKTOPS);
    server.child.kill('SIGKILL');
    await server.ended;
    await eventually(() => expect(processesWith(named(size))).toEqual([]));
    expect(await leftIn(directory)).toEqual([]);
  });

  test('a desktop server is reachable only through chatd, not over the network or from another workspace', async () => {
    const machine = await TestMachine.start();
    const size = newSize();
    const mine = await machine.open({ network: 'internet' });
    await start(mine.sandbox, size);
    const [pid = 0] = serversOf(size);
    const inodes = new Set(
      readdirSync(`/proc/${pid}/fd`).flatMap(
        (fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1] ?? [],
      ),
    );
    const table = (name: string) => readFileSync(`/proc/${pid}/net/${name}`, 'utf8').split('\n');
    for (const name of ['tcp', 'tcp6', 'udp', 'udp6']) {
      expect(table(name).filter((line) => inodes.has(inodeOf(9)(line)))).toEqual([]);
    }
    // Abstract sockets would be reachable by every process on the same network.
    const paths = table('unix')
      .filter((line) => inodes.has(inodeOf(6)(line)))
      .flatMap((line) => /\s([@/]\S+)$/.exec(line)?.[1] ?? []);
    expect(new Set(paths)).toEqual(new Set(['/run/chatd/desktop/rfb', '/tmp/.X11-unix/X1']));

    const other = await machine.open({ network: 'internet' });
    for (const path of paths) {
      const { output } = await other.sh(
        `ls -la ${path} 2>&1; /run/chatd/node -e "require('net').connect('${path}').on('error', (e) => console.log(e.code)).on('connect', () => console.log('reached'))"`,
      );
      expect(output).toContain('ENOENT');
      expect(output).not.toContain('reached');
    }
    // Even in its own workspace, a program needs the X authority file.
    const { output } = await mine.sh('XAUTHORITY=/nowhere xterm -e true; echo "$?"');
    expect(output).toMatch(/Can't open display|[Aa]uthorization required/);
  });

  test('a desktop starts even if the agent replaced the folder of display sockets', async () => {
    const machine = await TestMachine.start();
    const { sandbox, folder } = await machine.open();
    await sandbox.close();
    const spec = {
      id: folder.split('/').at(-2) ?? '',
      env: {},
      limits: {},
      network: 'none' as const,
    };
    const tmp = join(folder, '../tmp/.X11-unix');
    await rm(tmp, { recursive: true });
    await symlink('/etc', tmp);
    const again = await machine.driver.open(spec);
    onTestFinished(() => again.close());
    const size = newSize();
    const desktop = await start(again, size);
    expect((await desktop.screen()).size).toEqual(size);
  });
});

async function start(sandbox: Sandbox, size: DesktopSize): Promise<Desktop> {
  const hosted = new LocalDesktop(sandbox);
  await hosted.start(size);
  return new Desktop(hosted, systemClock);
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
