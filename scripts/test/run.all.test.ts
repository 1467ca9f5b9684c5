import { execFile } from 'node:child_process';
import { access, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { checkout, start } from './checkout.ts';

const execute = promisify(execFile);
const OLD = `node-${process.platform}-${process.arch}@20.11.0`;

// Downloads both from the configured registry.
test('on an old Node, a newer one is downloaded once and used', { timeout: 300_000 }, async () => {
  const node = await oldNode();
  const root = await checkout(
    {
      'version.ts': 'const v: string = process.versions.node; console.log(v, process.execPath);',
    },
    { registry: undefined },
  );
  const first = await start(root, ['version.ts'], { node }).end;
  expect(first.stderr).toContain('found Node 20.11.0; downloading Node');
  expect(first.code).toBe(0);
  const [version = '', path = ''] = first.stdout.split(/ (.*)/);
  expect(Number.parseInt(version, 10)).toBeGreaterThanOrEqual(24);
  expect(path.startsWith(join(root, '.node'))).toBe(true);

  const second = await start(root, ['version.ts'], { node }).end;
  expect(second).toMatchObject({ code: 0, stdout: first.stdout, stderr: '' });
});

test('an interrupted download leaves nothing behind', { timeout: 300_000 }, async () => {
  const node = await oldNode();
  const root = await checkout({ 'nothing.ts': '' }, { registry: undefined });
  const fetching = start(root, ['nothing.ts'], { node });
  await fetching.says('downloading Node');
  fetching.child.kill('SIGTERM');
  expect(await fetching.end).toMatchObject({ signal: 'SIGTERM' });
  expect(await readdir(join(root, '.node'))).toEqual([]);
});

async function oldNode(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chatd-old-node-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await execute('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', OLD]);
  const binary = join(folder, 'node_modules', OLD.slice(0, OLD.indexOf('@')), 'bin', 'node');
  await access(binary);
  return binary;
}
