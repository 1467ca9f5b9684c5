import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkout, start } from './checkout.ts';

const NAME = `node-${process.platform}-${process.arch}`;
const VERSION = '24.21.0';
/** Makes Node report an old version. */
const OLD = `--import=data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.11.0'}})`;

/** A registry with a forged Node package of the right name and version. */
async function startForeignRegistry(folder: string): Promise<string> {
  await mkdir(join(folder, 'package', 'bin'), { recursive: true });
  await writeFile(
    join(folder, 'package', 'package.json'),
    JSON.stringify({ name: NAME, version: VERSION }),
  );
  await writeFile(join(folder, 'package', 'bin', 'node'), `#!/bin/sh\necho v${VERSION}\n`, {
    mode: 0o755,
  });
  execFileSync('tar', ['czf', 'node.tgz', 'package'], { cwd: folder });
  const tarball = await readFile(join(folder, 'node.tgz'));
  const server = createServer((request, response) => {
    const origin = `http://${request.headers.host}`;
    if (request.url === '/node.tgz') return void response.end(tarball);
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    const dist = { tarball: `${origin}/node.tgz`, integrity };
    const versions = { [VERSION]: { name: NAME, version: VERSION, dist } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name: NAME, 'dist-tags': { latest: VERSION }, versions }));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test.skipIf(process.platform !== 'linux')(
  'a forged Node package is rejected and removed',
  { timeout: 120_000 },
  async () => {
    const root = await checkout({ 'nothing.ts': '' });
    const registry = await startForeignRegistry(join(root, '..', 'registry'));
    const env = {
      NODE_OPTIONS: OLD,
      npm_config_registry: registry,
      npm_config_cache: join(root, '..', 'cache'),
    };
    const { code, stderr } = await start(root, ['nothing.ts'], { env }).end;
    expect(stderr).toContain(`found Node 20.11.0; downloading Node ${VERSION}`);
    expect(stderr).toContain('EINTEGRITY');
    expect(stderr).toContain(`npm failed downloading Node ${VERSION}`);
    expect(code).toBe(1);
    expect(await readdir(join(root, '.node'))).toEqual([]);
  },
);
