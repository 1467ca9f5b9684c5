import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { refreshBuild } from '../packing/built-files.ts';
import { packPackage } from '../packing/pack-package.ts';
import { run } from '../stage.ts';
import { ensureWebUi } from '../web-ui.ts';

const TOKEN = 'test-admin-token-0123456789';
const LONG_MS = 3_600_000;
const ANYWHERE = ['--listen', '127.0.0.1:0'];
const root = await mkdtemp(join(tmpdir(), 'chatd-packed-'));
// As root, PostgreSQL runs as another user, which must be able to enter the directory.
await chmod(root, 0o711);
afterAll(() => rm(root, { recursive: true, force: true }));
/** An environment without the import condition and settings of this repository. */
const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:CHATD_|NODE_OPTIONS$|npm_)/.test(name)),
  ),
  PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
  CHATD_ADMIN_TOKEN: TOKEN,
};

beforeAll(async () => {
  await refreshBuild();
  await ensureWebUi(() => undefined);
}, LONG_MS);

async function emptyFolder(name: string): Promise<string> {
  const folder = join(root, name);
  await mkdir(folder);
  await chmod(folder, 0o711);
  return folder;
}

/** Resolves with the printed address. */
async function ready(child: ChildProcess): Promise<string> {
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'close');
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    await ended;
  });
  for (;;) {
    const [, url] = /ready at (\S+)/.exec(stdout) ?? [];
    if (url !== undefined) return url;
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${stdout}`);
    await Promise.race([once(child.stdout!, 'data'), once(child, 'close')]);
  }
}

test(
  'the packed server installs and runs in an empty directory with one command',
  async () => {
    const folder = await emptyFolder('server');
    const data = join(folder, 'data');
    const tarball = await packPackage('@chatd/server', root);
    const child = spawn(
      'npx',
      ['--yes', '--package', tarball, 'chatd-server', 'serve', '--data-dir', data, ...ANYWHERE],
      { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true },
    );
    const url = await ready(child);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await fetch(`${url}/api/v1/users/me`, { headers })).status).toBe(200);
    // The web UI is included.
    expect(await (await fetch(url)).text()).toMatch(/<script type="module"/);
  },
  LONG_MS,
);

test(
  'the packed CLI installs in an empty directory, serves and chats',
  async () => {
    const folder = await emptyFolder('command');
    const tarball = await packPackage('chatd', root);
    const install = ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball];
    const installed = await run({ program: 'npm', args: ['--prefix', folder, ...install], env });
    expect(installed.code, installed.output).toBe(0);
    const chatd = join(folder, 'node_modules', '.bin', 'chatd');
    // Also globally, where npm nests the dependencies.
    const machine = await emptyFolder('machine');
    const prefix = ['--global', '--prefix', machine];
    const everywhere = await run({ program: 'npm', args: [...prefix, ...install], env });
    expect(everywhere.code, everywhere.output).toBe(0);
    const version = await run({
      program: join(machine, 'bin', 'chatd'),
      args: ['--version'],
      env,
    });
    expect(version.output).toContain('chatd ');
    const child = spawn(chatd, ['serve', '--data-dir', join(folder, 'data'), ...ANYWHERE], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const url = await ready(child);
    const asked = await run({
      program: chatd,
      args: ['run', 'hello', '--quiet'],
      env: { ...env, CHATD_URL: url, CHATD_TOKEN: TOKEN },
    });
    expect([asked.code, asked.output]).toEqual([0, expect.stringContaining('I am the demo model')]);
    const doctor = await run({
      program: chatd,
      args: ['doctor', '--local', '--data-dir', join(folder, 'data')],
      env: { ...env, CHATD_LISTEN: '127.0.0.1:0' },
    });
    expect(doctor.output).toContain('PostgreSQL');
  },
  LONG_MS,
);

const INSTALL = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];

/** Installs into a new directory from the configured registry. Returns its `node_modules`. */
async function install(name: string, ...packages: string[]): Promise<string> {
  const folder = await emptyFolder(name);
  const args = ['--prefix', folder, ...INSTALL, ...packages];
  const installed = await run({ program: 'npm', args, env });
  expect(installed.code, installed.output).toBe(0);
  return join(folder, 'node_modules');
}

async function megabytes(folder: string): Promise<number> {
  const { output } = await run({ program: 'du', args: ['-sm', folder] });
  return Number.parseInt(output, 10);
}

test(
  'the packed CLI without the server is small and has no PostgreSQL',
  async () => {
    const modules = await install('thin', await packPackage('@chatd/cli', root));
    expect(await megabytes(modules)).toBeLessThan(40);
    const chatd = join(modules, '.bin', 'chatd');
    const version = await run({ program: chatd, args: ['--version'], env });
    expect(version.output).toContain('chatd ');
    const serve = await run({ program: chatd, args: ['serve'], env });
    expect([serve.code, serve.output]).toEqual([
      2,
      expect.stringContaining('Install the package chatd'),
    ]);
  },
  LONG_MS,
);

test(
  'the packed libraries install together and can be imported',
  async () => {
    const names = ['@chatd/client', '@chatd/loop', '@chatd/protocol', '@chatd/testing'];
    const archives: string[] = [];
    for (const name of names) archives.push(await packPackage(name, root));
    const modules = await install('libraries', ...archives);
    const script = names.map((name) => `await import('${name}');`).join('');
    const file = join(dirname(modules), 'index.mjs');
    await writeFile(file, `${script}console.log('imported');`);
    const ran = await run({ program: process.execPath, args: [file], env });
    expect([ran.code, ran.output]).toEqual([0, 'imported\n']);
  },
  LONG_MS,
);

/** The program of a Node version, from the packages that the repository downloads its own from. */
async function nodeOf(version: string): Promise<string> {
  const name = `node-linux-${process.arch}`;
  return join(await install(`node-${version}`, `${name}@${version}`), name, 'bin', 'node');
}

test.skipIf(process.platform !== 'linux')(
  'on Node 22, the packed command serves and chats',
  async () => {
    const node = await nodeOf('22.23.3');
    const modules = await install('command-on-22', await packPackage('chatd', root));
    const main = join(modules, 'chatd', 'dist', 'main.js');
    const data = join(dirname(modules), 'data');
    const child = spawn(node, [main, 'serve', '--data-dir', data, ...ANYWHERE], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const url = await ready(child);
    const asked = await run({
      program: node,
      args: [main, 'run', 'hello', '--quiet'],
      env: { ...env, CHATD_URL: url, CHATD_TOKEN: TOKEN },
    });
    expect([asked.code, asked.output]).toEqual([0, expect.stringContaining('I am the demo model')]);
  },
  LONG_MS,
);

test.skipIf(process.platform !== 'linux')(
  'on Node 20, the packed programs report the required version',
  async () => {
    const node = await nodeOf('20.20.2');
    for (const [packed, folder] of [
      ['@chatd/server', 'server-on-20'],
      ['chatd', 'command-on-20'],
      ['@chatd/cli', 'thin-on-20'],
    ] as const) {
      const modules = await install(folder, await packPackage(packed, root));
      const main = join(modules, packed, 'dist', 'main.js');
      const said = await run({ program: node, args: [main, 'serve'], env });
      expect([said.code, said.output]).toEqual([
        2,
        expect.stringMatching(/^chatd requires Node 22\.18 or newer\. This is Node 20\.20\.2\./),
      ]);
    }
  },
  LONG_MS,
);
