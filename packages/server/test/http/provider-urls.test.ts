import { expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { dump } from '@chatd/test-server/database';
import { startModelServer } from './model-server.ts';
import { startTestServer } from '@chatd/test-server';

const PRIVATE = [
  'http://127.0.0.1:11434/v1',
  'http://localhost:11434/v1',
  'http://2130706433/v1',
  'http://①②⑦.0.0.1/v1',
  'http://[::1]/v1',
  'http://[::ffff:7f00:1]/v1',
  'http://10.0.0.1/v1',
];
const FORBIDDEN = [
  'http://169.254.169.254/latest',
  'http://[::ffff:a9fe:a9fe]/',
  'http://2852039166/',
  'http://①⑥⑨.254.169.254/',
  'http://192.0.0.192/',
  'http://[fd20:ce::254]/',
];

const guarded = await startTestServer({ allowPrivateUrls: false });
const allowed = await startTestServer({ allowPrivateUrls: true });
const body = (base_url: string) => ({ type: 'openai-compatible', name: 'x', base_url });

test.each([...PRIVATE, ...FORBIDDEN])(
  'without the setting, a server on loopback does not call %s',
  async (url) => {
    const before = await dump(guarded.databaseUrl);
    expect(await guarded.admin.refusal('createProvider', { body: body(url) })).toBe(
      '400 url_not_allowed',
    );
    expect(await dump(guarded.databaseUrl)).toBe(before);
  },
);

test.each(PRIVATE)('with the setting, %s is allowed', async (url) => {
  await allowed.admin.ok('createProvider', { body: body(url) });
});

test.each(FORBIDDEN)('%s is blocked regardless of the setting', async (url) => {
  const refusal = await allowed.admin.refusal('createProvider', { body: body(url) });
  expect(refusal).toBe('400 url_not_allowed');
});

test('an admin can allow private addresses and revoke it', async () => {
  const service = await startModelServer();
  const { admin } = guarded;
  await admin.ok('updateSettings', { body: { allow_private_urls: true } });
  const { id } = await admin.ok('createProvider', { body: body(service.url) });
  const test = () => admin.ok('testProvider', { params: { provider_id: id } });
  expect(await test()).toMatchObject({ ok: true });
  await admin.ok('updateSettings', { body: { allow_private_urls: false } });
  expect(await admin.refusal('createProvider', { body: body(service.url) })).toBe(
    '400 url_not_allowed',
  );
});

test('the address of a host name is checked again when connecting', async () => {
  const service = await startModelServer();
  const { admin } = guarded;
  const { id } = await admin.ok('createProvider', {
    body: body('http://not-known-yet.invalid/v1'),
  });
  // Simulates a host name that resolves to this server after the check.
  await guarded.store.database.query(
    statement<{ id: string; url: string }, never>(
      'move',
      'UPDATE providers SET base_url = :url WHERE id = :id',
    ),
    { id, url: `http://localhost:${service.port}/v1` },
  );
  const result = await admin.ok('testProvider', { params: { provider_id: id } });
  expect(result).toMatchObject({ ok: false, error: { kind: 'config' } });
  expect(result.message).toContain('private address');
  expect(service.requests).toEqual([]);
});
