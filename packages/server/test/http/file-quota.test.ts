import { expect, test } from 'vitest';
import { startTestServer } from '@chatd/test-server';

const { admin, owner, stranger } = await startTestServer();

const uploadBy = (client: typeof owner, size: number, name = 'x.bin') =>
  client.call('uploadFile', {
    query: { name },
    raw: Buffer.alloc(size),
    headers: { 'content-type': 'application/octet-stream' },
  });
const setQuota = (max_file_bytes_per_user: number | null) =>
  admin.ok('updateSettings', { body: { max_file_bytes_per_user } });

test('the default quota is 1 GiB', async () => {
  expect(await admin.ok('getSettings')).toMatchObject({ max_file_bytes_per_user: 2 ** 30 });
  expect(await owner.ok('listFiles')).toEqual({
    files: [],
    next_cursor: null,
    used_bytes: 0,
    max_bytes: 2 ** 30,
  });
});

test("files beyond the owner's quota are refused until files are deleted", async () => {
  await setQuota(10_000);
  expect((await uploadBy(owner, 8000)).status).toBe(201);
  const refused = await uploadBy(owner, 3000);
  expect(refused.status).toBe(409);
  expect(JSON.parse(refused.text)).toMatchObject({
    code: 'quota_exceeded',
    detail: expect.stringContaining('max_file_bytes_per_user'),
  });
  expect((await uploadBy(stranger, 8000)).status).toBe(201);
  const { files } = await owner.ok('listFiles');
  expect(files).toHaveLength(1);
  for (const { id } of files) await owner.ok('deleteFile', { params: { file_id: id } });
  expect((await uploadBy(owner, 3000)).status).toBe(201);
  await setQuota(null);
  expect((await uploadBy(owner, 30_000)).status).toBe(201);
});

test('parallel uploads cannot exceed the quota', async () => {
  const { used_bytes } = await stranger.ok('listFiles');
  await setQuota(used_bytes + 3500);
  const answers = await Promise.all(Array.from({ length: 12 }, () => uploadBy(stranger, 1000)));
  const stored = answers.filter(({ status }) => status === 201);
  expect(stored).toHaveLength(3);
  await setQuota(null);
});

test('empty files count toward the quota', async () => {
  const { used_bytes } = await stranger.ok('listFiles');
  await uploadBy(stranger, 0);
  expect(await stranger.ok('listFiles')).toMatchObject({ used_bytes: used_bytes + 1024 });
});

test("the list is paged, newest first, and has only the user's files", async () => {
  const names = ['1', '2', '3'];
  for (const name of names) await uploadBy(owner, 10, name);
  const first = await owner.ok('listFiles', { query: { limit: '2' } });
  expect(first.files.map(({ name }) => name)).toEqual(['3', '2']);
  const cursor = first.next_cursor ?? '';
  const second = await owner.ok('listFiles', { query: { limit: '2', cursor } });
  expect(second.files[0]).toMatchObject({ name: '1', size: 10, chat_ids: [] });
  const others = (await stranger.ok('listFiles')).files.map(({ id }) => id);
  expect(others).not.toContain(first.files[0]?.id);
});
