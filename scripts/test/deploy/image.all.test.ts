import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../checks.ts';
import { copySources, makeBareDebian, missing, must, noBareDebian } from './bare-debian.ts';

const LONG_MS = 3_600_000;
const NODE_24 = '24.21.0';
const IMAGE = 'localhost/chatd';
const TOKEN = 'test-admin-token-0123456789';

const impossible = noBareDebian() ?? missing('buildah');

const baseImages = () =>
  new Set(
    [...readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8').matchAll(/^FROM (\S+)/gm)].map(
      ([, name = '']) => name,
    ),
  );

/*
 * Builds and runs the Dockerfile without a container engine or image registry. The base image is created here from Debian
 * packages and the Node packages on npm.
 */
describe.skipIf(impossible !== undefined)(`the image (${impossible ?? 'built here'})`, () => {
  let folder = '';
  let storage: string[] = [];
  const buildah = (...args: string[]) => must('buildah', ...storage, ...args);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chatd-image-'));
    storage = ['--root', join(folder, 'images'), '--runroot', join(folder, 'run')];
    storage.push('--storage-driver', 'vfs');
    for (const base of baseImages()) await makeBase(base);
    await copySources(join(folder, 'sources'));
    const sources = join(folder, 'sources');
    const options = ['--isolation', 'chroot', '--format', 'docker', '--pull-never', '-t', IMAGE];
    await buildah('build', ...options, '-f', join(sources, 'deploy/Dockerfile'), sources);
  }, LONG_MS);

  afterAll(async () => {
    if (folder === '') return;
    await buildah('rm', '--all');
    await rm(folder, { recursive: true, force: true });
  }, LONG_MS);

  /** A replacement for the official image: Debian with Node and the user `node`. */
  async function makeBase(name: string): Promise<void> {
    const root = join(folder, 'base');
    await makeBareDebian(root, NODE_24);
    await must('chroot', root, 'useradd', '--uid', '1000', '--create-home', 'node');
    const container = (await buildah('from', 'scratch')).trim();
    await buildah('add', '--quiet', container, root, '/');
    const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    await buildah('config', '--env', path, container);
    await buildah('commit', '--quiet', '--rm', container, `docker.io/library/${name}`);
    await rm(root, { recursive: true, force: true });
  }

  async function configOf(): Promise<ImageConfig> {
    const about = JSON.parse(await buildah('inspect', '--type', 'image', IMAGE)) as {
      Docker: { config: ImageConfig };
    };
    return about.Docker.config;
  }

  test('runs as an unprivileged user, with a health check that ignores the database', async () => {
    const config = await configOf();
    expect(config).toMatchObject({
      User: 'chatd',
      Entrypoint: ['tini', '--', 'chatd'],
      Cmd: ['serve'],
    });
    expect(config.Healthcheck?.Test?.join(' ')).toContain(':7717/healthz');
    expect(config.ExposedPorts).toEqual({ '7717/tcp': {} });
  });

  test(
    'has the programs that agents use, and serves until it is stopped',
    async () => {
      const container = (await buildah('from', '--pull-never', IMAGE)).trim();
      const within = [...storage, 'run', '--isolation', 'chroot', container, '--'];
      expect(await must('buildah', ...within, 'chatd', '--version')).toMatch(/chatd \d/);
      for (const program of ['bwrap', 'git', 'rg']) {
        await must('buildah', ...within, program, '--version');
      }
      const { Entrypoint, Cmd } = await configOf();
      const settings = { CHATD_LISTEN: '127.0.0.1:0', CHATD_ADMIN_TOKEN: TOKEN };
      const environment = Object.entries(settings).flatMap((pair) => ['--env', pair.join('=')]);
      const child = spawn(
        'buildah',
        [...within.slice(0, -2), ...environment, container, '--', ...Entrypoint, ...Cmd],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      let url: string | undefined;
      try {
        for await (const line of createInterface(child.stdout)) {
          url = /ready at (\S+)/.exec(line)?.[1];
          if (url !== undefined) break;
        }
        expect(url).toBeDefined();
        expect((await fetch(`${url}/readyz`)).status).toBe(200);
        expect(await (await fetch(`${url}/`)).text()).toMatch(/<script type="module"/);
        const me = await fetch(`${url}/api/v1/users/me`, {
          headers: { authorization: `Bearer ${TOKEN}` },
        });
        expect(me.status).toBe(200);
      } finally {
        child.stdout.resume();
        // Signal the main process like an engine; buildah would kill it.
        const tini = descendants(child.pid ?? 0).find((pid) => programOf(pid) === Entrypoint[0]);
        if (tini === undefined) child.kill('SIGKILL');
        else process.kill(tini, 'SIGTERM');
        if (child.exitCode === null) await once(child, 'close');
      }
      expect(child.exitCode).toBe(0);
    },
    LONG_MS,
  );
});

const programOf = (pid: number) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();

function descendants(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const children = threads.flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' '),
  );
  return children
    .filter(Boolean)
    .flatMap((child) => [Number(child), ...descendants(Number(child))]);
}

interface ImageConfig {
  readonly User: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Healthcheck?: { readonly Test?: readonly string[] };
}
