import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { HostDriver } from '../../../src/machine/drivers/host/host-driver.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import type { Attempt } from './internet-process.ts';

const run = promisify(execFile);

/** Makes the attempts between two network namespaces that stand for a machine and the internet. */
const program = join(import.meta.dirname, 'internet-process.ts');
const { stdout } = await run(
  'unshare',
  ['--net', process.execPath, '--conditions=chatd-source', program],
  { timeout: 60_000 },
);
const outcomes = JSON.parse(stdout) as Record<Attempt, string>;

test('a workspace with internet access reaches a public address', () => {
  expect(outcomes['a public address']).toBe('reached the internet');
});

test('a private range that the operator allows is reached', () => {
  expect(outcomes['a private range that the operator allows']).toBe('reached the internet');
});

test.each([
  'a private address of the network',
  'a private address, bound to the device',
  'the cloud metadata address',
  'the machine by its public address',
  'the machine by its public address, bound to the device',
  'the loopback of the machine',
  'the gateway',
  'the gateway, bound to the device',
  'another port of the resolver',
  'IPv6',
] satisfies Attempt[])('%s is out of reach', (attempt) => {
  expect(outcomes[attempt]).toMatch(
    /^refused: (?:E(?:NETUNREACH|HOSTUNREACH|CONNREFUSED|ACCES|TIMEDOUT|PERM|INVAL)|timeout)/,
  );
});

test('a workspace cannot change its routes', () => {
  expect(outcomes['changing the routes']).toMatch(/not permitted/);
});

test('without slirp4netns, the workspace does not open, and the error says why', async () => {
  const directory = await makeTemporaryDirectory();
  const driver = new HostDriver({
    directory: join(directory, 'workspaces'),
    hidden: [],
    allowUnsandboxed: false,
    internet: { works: false, why: 'slirp4netns is missing.' },
  });
  const spec = { id: 'one', env: {}, limits: {}, network: 'internet' } as const;
  await driver.create(spec);
  await expect(driver.open(spec)).rejects.toThrow(
    'This host cannot connect a workspace to the internet: slirp4netns is missing.',
  );
  // The setup can still download through the proxy.
  const sandbox = await driver.open(spec, { network: 'fetch' });
  let output = '';
  const env = await sandbox.run({
    argv: ['env'],
    onOutput: (bytes) => (output += Buffer.from(bytes).toString()),
  });
  await env.exit;
  await sandbox.close();
  expect(output).toContain('https_proxy=http://127.0.0.1:3128');
});
