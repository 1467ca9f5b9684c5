import { afterAll, beforeEach, expect, test } from 'vitest';
import { runHousekeeping } from '../../src/housekeeping.ts';
import { createLog } from '../../src/log.ts';
import { openStorage } from '../../src/store/files/open-storage.ts';
import { S3Storage } from '../../src/store/files/s3-storage.ts';
import { Store } from '../../src/store/store.ts';
import { execute } from '@chatd/test-server/database';
import { startFakeS3 } from '../support/s3-server.ts';
import { startServerOn, startTestServer } from '@chatd/test-server';

const s3 = await startFakeS3();
afterAll(() => s3.close());
const { admin, databaseUrl, logged, owner, store } = await startTestServer({ filesUrl: s3.url });
const storage = new S3Storage({ url: s3.url });
const housekeeper = new Store({ url: databaseUrl, storage });
afterAll(() => housekeeper.close());
const log = createLog({ level: 'silent', secrets: [], readable: false, write: () => undefined });

beforeEach(() => {
  s3.failWith = undefined;
});

const BYTES = Buffer.from(Array.from({ length: 5000 }, (_, index) => index % 256));
const upload = (headers: Record<string, string> = {}, client = owner) =>
  client.call('uploadFile', {
    query: { name: 'x.bin' },
    raw: BYTES,
    headers: { 'content-type': 'application/octet-stream', ...headers },
  });
const uploaded = async (headers: Record<string, string> = {}) =>
  (JSON.parse((await upload(headers)).text) as { id: string }).id;
const download = async (file_id: string, client = owner) =>
  (await client.call('getFile', { params: { file_id } })).status;
const has = (id: string) => s3.objects.has(`chatd/${id}`);

test('a file is stored in the bucket and downloaded from it', async () => {
  const id = await uploaded();
  expect(s3.objects.get(`chatd/${id}`)?.equals(BYTES)).toBe(true);
  const loaded = await housekeeper.files.load(id);
  expect(Buffer.from(loaded?.data ?? []).equals(BYTES)).toBe(true);
  expect(await download(id)).toBe(200);
});

test('the object of a deleted file is deleted', async () => {
  const id = await uploaded();
  await owner.ok('deleteFile', { params: { file_id: id } });
  expect(await download(id)).toBe(404);
  await runHousekeeping(housekeeper, log);
  expect(has(id)).toBe(false);
});

test('the objects of a deleted user are deleted', async () => {
  const user = await admin.ok('createUser', { body: { username: 'short-lived' } });
  const file = { data: BYTES, media_type: 'application/octet-stream' };
  const { id } = await housekeeper.files.store(user.id, file);
  await admin.ok('deleteUser', { params: { user_id: user.id } });
  await runHousekeeping(housekeeper, log);
  expect(has(id)).toBe(false);
});

test('an object whose file was never stored is deleted after an hour', async () => {
  await admin.ok('updateSettings', { body: { max_file_bytes_per_user: null } });
  const before = new Set(s3.objects.keys());
  await execute(store.url, `ALTER TABLE files ADD CONSTRAINT broken CHECK (size < 0) NOT VALID`);
  const file = { data: BYTES, media_type: 'application/octet-stream' };
  await expect(housekeeper.files.store(store.owner, file)).rejects.toThrow('broken');
  await execute(store.url, `ALTER TABLE files DROP CONSTRAINT broken`);
  const orphans = [...s3.objects.keys()].filter((key) => !before.has(key));
  expect(orphans).toHaveLength(1);
  await runHousekeeping(housekeeper, log);
  expect([...s3.objects.keys()]).toContain(orphans[0]);
  await execute(
    store.url,
    `UPDATE unwanted_objects SET delete_after = delete_after - interval '1 hour'`,
  );
  await runHousekeeping(housekeeper, log);
  expect([...s3.objects.keys()]).not.toContain(orphans[0]);
});

test('a repeated upload with a key stores one object', async () => {
  const before = s3.objects.size;
  const headers = { 'idempotency-key': 'once' };
  expect(await uploaded(headers)).toBe(await uploaded(headers));
  expect(s3.objects.size).toBe(before + 1);
});

test('a file beyond the quota is not sent to the bucket', async () => {
  await admin.ok('updateSettings', { body: { max_file_bytes_per_user: 0 } });
  const before = s3.objects.size;
  expect((await upload()).status).toBe(409);
  expect(s3.objects.size).toBe(before);
  await admin.ok('updateSettings', { body: { max_file_bytes_per_user: null } });
});

test('while the storage fails, requests get 503, and no file is lost', async () => {
  const id = await uploaded();
  s3.failWith = 503;
  expect((await upload()).status).toBe(503);
  expect(await download(id)).toBe(503);
  expect(logged.join('')).toContain('answered PUT with 503 InternalError');
  s3.failWith = undefined;
  expect(await download(id)).toBe(200);
});

test('without the storage, only its files are unavailable, not files in the database', async () => {
  const id = await uploaded();
  const other = await startServerOn(databaseUrl);
  const token = (await admin.ok('createToken', { body: { name: 't', user_id: store.owner } }))
    .token;
  const client = other.as(token);
  expect(await download(id, client)).toBe(503);
  const inDatabase = JSON.parse((await upload({}, client)).text) as { id: string };
  expect([has(inDatabase.id), await download(inDatabase.id)]).toEqual([false, 200]);
});

test.each([
  ['a wrong secret', (url: URL) => (url.password = 'wrong'), '403 SignatureDoesNotMatch'],
  ['a wrong region', (url: URL) => (url.search = ''), '403 AuthorizationHeaderMalformed'],
  ['a missing bucket', (url: URL) => (url.pathname = '/none'), '404 NoSuchBucket'],
  ['a closed port', (url: URL) => (url.port = '1'), 'cannot be reached'],
])('a server does not start with %s', async (_, change, reason) => {
  const url = new URL(s3.url);
  change(url);
  await expect(openStorage(url.href)).rejects.toMatchObject({
    kind: 'files_unavailable',
    message: expect.stringContaining(reason),
    hint: expect.stringContaining('CHATD_FILES_URL'),
  });
});

const unresponsive: typeof fetch = (_, init) =>
  new Promise((_resolve, reject) => {
    init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
  });

test('a request to an unresponsive storage times out', async () => {
  const slow = new S3Storage({ url: s3.url, fetch: unresponsive, timeoutMs: 1 });
  await expect(slow.get('x')).rejects.toThrow('cannot be reached');
});
