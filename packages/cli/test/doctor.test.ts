import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { EXIT } from '../src/exit-codes.ts';
import { chatd } from './support/in-process.ts';
import { startServer } from './support/server.ts';

vi.setConfig({ testTimeout: 120_000 });

const server = await startServer();
const { env, client } = server;
const folder = await makeTemporaryDirectory();
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Finding {
  check: string;
  level: string;
  message: string;
  hint?: string;
}

async function doctor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await chatd(['doctor', '--json', ...args], { env });
  expect(stderr).toBe('');
  const findings = JSON.parse(stdout) as Finding[];
  const of = (check: string) => findings.filter((finding) => finding.check === check);
  return { code, findings, of };
}

test('a healthy machine passes', async () => {
  const { code, findings } = await doctor(['--local', '--data-dir', join(folder, 'new')], {
    CHATD_LISTEN: '127.0.0.1:0',
  });
  expect(findings.filter(({ level }) => level === 'broken')).toEqual([]);
  expect(code).toBe(EXIT.ok);
  expect(new Set(findings.map(({ check }) => check))).toEqual(
    new Set([
      'node',
      'data directory',
      'database',
      'bus',
      'sandbox',
      'port',
      ...findings.map(({ check }) => check),
    ]),
  );
  // The checks create nothing.
  expect(findings).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('does not exist yet') as string }),
  );
});

test('an external database is checked, with its bus and stored keys', async () => {
  const { code, of } = await doctor(['--local'], {
    CHATD_DATABASE_URL: server.databaseUrl,
    CHATD_LISTEN: '127.0.0.1:0',
  });
  expect(code).toBe(EXIT.ok);
  expect(of('database').map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^PostgreSQL .* is reachable \(external\)\.$/),
  );
  expect(of('bus')[0]).toMatchObject({
    level: 'ok',
    message: 'PostgreSQL delivers notifications.',
  });
  expect(of('keys')[0]).toMatchObject({
    level: 'warning',
    hint: expect.stringContaining('CHATD_SECRET_KEY') as string,
  });
});

test('a port that another chatd server uses is a warning', async () => {
  const { code, of } = await doctor(['--local', '--data-dir', join(folder, 'second')], {
    CHATD_LISTEN: new URL(server.url).host,
  });
  expect(code).toBe(EXIT.ok);
  expect(of('port')).toEqual([
    expect.objectContaining({
      level: 'warning',
      message: expect.stringContaining('with another data directory or database') as string,
    }),
  ]);
});

test('failed checks have hints, and the exit code is 1', async () => {
  const taken = createServer();
  await new Promise<void>((listening) => taken.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const dataDir = join(folder, 'careless');
  await mkdir(dataDir);
  await writeFile(join(dataDir, 'secret.key'), 'x'.repeat(40));
  await chmod(join(dataDir, 'secret.key'), 0o644);
  const { code, of } = await doctor(['--local', '--data-dir', dataDir], {
    CHATD_LISTEN: `127.0.0.1:${port}`,
    CHATD_BUS_URL: 'nats://127.0.0.1:1',
    CHATD_SANDBOX: '1',
  });
  expect(code).toBe(EXIT.failed);
  expect(of('port')[0]).toMatchObject({
    level: 'broken',
    hint: expect.stringContaining('CHATD_LISTEN') as string,
  });
  expect(of('bus')[0]).toMatchObject({
    level: 'broken',
    hint: expect.stringContaining('CHATD_BUS_URL') as string,
  });
  expect(of('data directory')).toContainEqual(
    expect.objectContaining({
      level: 'broken',
      hint: expect.stringContaining('chmod 600') as string,
    }),
  );
  expect(of('settings')[0]).toMatchObject({
    level: 'warning',
    message: expect.stringContaining('CHATD_SANDBOX') as string,
  });
  const away = await doctor(['--local'], {
    CHATD_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
  });
  expect(away.of('database')).toContainEqual(expect.objectContaining({ level: 'broken' }));
  const wrong = await doctor(['--local'], { CHATD_LISTEN: 'everywhere' });
  expect([wrong.code, wrong.findings]).toEqual([
    EXIT.failed,
    [expect.objectContaining({ check: 'settings', level: 'broken' })],
  ]);
});

test('a remote server: reachable, ready, token, models, providers', async () => {
  const well = await doctor(['--remote'], env);
  expect([well.code, well.of('token')[0]?.message]).toEqual([
    EXIT.ok,
    'Signed in as admin (admin).',
  ]);
  const { id } = await client.call('createProvider', {
    body: { type: 'openai-compatible', name: 'Away', base_url: 'http://127.0.0.1:1/v1' },
  });
  const ill = await doctor(['--remote'], env);
  expect([ill.code, ill.of('provider')[0]]).toEqual([
    EXIT.failed,
    expect.objectContaining({
      level: 'broken',
      hint: expect.stringContaining('chatd provider update "Away"') as string,
    }),
  ]);
  await client.call('deleteProvider', { params: { provider_id: id } });
  const nowhere = await doctor(['--remote', '--url', 'http://127.0.0.1:1']);
  expect([nowhere.code, nowhere.of('server')[0]?.level]).toEqual([EXIT.failed, 'broken']);
  const stranger = await doctor([
    '--remote',
    '--url',
    server.url,
    '--token',
    'wrong-token-0123456789',
  ]);
  expect([stranger.code, stranger.findings.at(-1)?.hint]).toEqual([
    EXIT.failed,
    expect.stringContaining('chatd login'),
  ]);
});

test('text output: a mark, the check, the message and the hint', async () => {
  const { stdout } = await chatd(['doctor', '--remote', '--url', 'http://127.0.0.1:1']);
  expect(stdout).toMatch(
    /^✗ server: .*\n {4}Start it with chatd serve.*\n\n1 failed, 0 warnings, 0 passed\n$/,
  );
});

test('machines are checked from both ends', async () => {
  const created = await client.call('createMachine', { body: { name: 'away' } });
  const remote = await doctor(['--remote'], env);
  const offline = {
    level: 'warning',
    message: 'The machine away is offline; it has never connected.',
  };
  expect(remote.of('machines')).toMatchObject([offline]);
  const local = await doctor(['--local'], {
    CHATD_DATABASE_URL: server.databaseUrl,
    CHATD_LISTEN: '127.0.0.1:0',
  });
  expect(local.of('machines')).toContainEqual(expect.objectContaining(offline));

  const data = ['--machine', '--data-dir', join(folder, 'machine')];
  const { token } = created;
  const unknown = await doctor(data, { CHATD_URL: server.url, CHATD_MACHINE_TOKEN: 'wrong' });
  expect(unknown.code).toBe(EXIT.failed);
  expect(unknown.of('connection')).toMatchObject([
    { level: 'broken', hint: expect.stringContaining('chatd machines create') },
  ]);
  const fine = await doctor(data, { CHATD_URL: server.url, CHATD_MACHINE_TOKEN: token });
  expect(fine.of('connection')).toMatchObject([
    { level: 'ok', message: expect.stringContaining('accepts the token') },
  ]);
  expect(fine.of('docker')).toHaveLength(1);
  expect(fine.of('sandbox').length).toBeGreaterThan(0);
});

/** The results of the check with this issuer. */
async function issuerCheck(issuer: string) {
  const { of } = await doctor(['--local', '--data-dir', join(folder, 'oidc')], {
    CHATD_LISTEN: '127.0.0.1:0',
    CHATD_OIDC_ISSUER: issuer,
    CHATD_OIDC_CLIENT_ID: 'chatd',
  });
  return of('oidc').map(({ level, message }) => [level, message]);
}

test('the OIDC provider is read', async () => {
  const provider = createHttpServer((request, response) => {
    const issuer = `http://${request.headers.host}`;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ issuer, authorization_endpoint: `${issuer}/auth` }));
  });
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  onTestFinished(() => void provider.close());
  const { port } = provider.address() as AddressInfo;
  const [found, advice] = await issuerCheck(`http://127.0.0.1:${port}`);
  expect(found).toEqual(['ok', expect.stringContaining('is reachable')]);
  expect(advice).toEqual(['warning', expect.stringContaining('redirect URL')]);
  const [wrong] = await issuerCheck(`http://127.0.0.1:${port}/another`);
  expect(wrong).toEqual(['broken', expect.stringContaining('does not match')]);
});
