import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { API_PREFIX } from '@chatd/protocol';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { startServerOn, startTestServer } from '@chatd/test-server';

const server = await startTestServer({
  requestLimits: { pointsPerMinute: 480, concurrency: 2 },
});
const { admin, databaseUrl, url } = server;

let users = 0;
async function member() {
  users += 1;
  const user = await admin.ok('createUser', { body: { username: `member-${users}` } });
  const token = async () =>
    (await admin.ok('createToken', { body: { name: 'test', user_id: user.id } })).token;
  const first = await token();
  return {
    user,
    secret: first,
    client: server.as(first),
    another: async () => server.as(await token()),
  };
}

/** An upload whose last byte is sent by `finish`. */
function slowUpload(serverUrl: string, token: string) {
  const { hostname, port } = new URL(serverUrl);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = httpRequest(
    {
      hostname,
      port,
      method: 'POST',
      path: `${API_PREFIX}/files?name=a.txt`,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'text/plain',
        'content-length': '2',
      },
    },
    (response) => {
      void text(response).then(() => resolve(response.statusCode ?? 0));
    },
  );
  request.on('error', reject);
  request.write('a');
  return { status: promise, finish: () => request.end('b') };
}

/** Opens a stream; the result closes it. */
async function watch(token: string): Promise<() => void> {
  const aborted = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}${API_PREFIX}/watch`, { headers, signal: aborted.signal });
  expect(response.status).toBe(200);
  return () => aborted.abort();
}

test('searches beyond the rate limit get 429 with Retry-After and a hint', async () => {
  const { client } = await member();
  const query = { q: 'word' };
  await client.ok('listChats', { query });
  await client.ok('listChats', { query });
  const refusal = await client.refused('listChats', { query });
  expect(refusal).toMatchObject({
    status: 429,
    code: 'too_many_requests',
    detail: expect.stringMatching(
      /^Rate limit reached: a token or session has 240 points per minute, and this request costs 20. Try again in \d+ seconds?.$/,
    ),
  });
  expect(refusal.headers.get('ratelimit-policy')).toContain('"requests-per-credential";q=40;w=10');
  expect(refusal.headers.get('ratelimit')).toMatch(/"requests-per-credential";r=\d+;t=\d+/);
  const wait = Number(refusal.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(5);
});

test('a user at the rate limit can still read and write, and other users can search', async () => {
  const { client, another } = await member();
  const query = { q: 'word' };
  const second = await another();
  for (const one of [client, client, second, second]) await one.ok('listChats', { query });
  expect(await (await another()).refusal('listChats', { query })).toBe('429 too_many_requests');
  await client.ok('listChats');
  const { id } = await client.ok('createChat', { body: { content: 'hello' } });
  await client.ok('getChat', { params: { chat_id: id } });
  await (await member()).client.ok('listChats', { query });
});

test('exports, usage reports, and uploads are rate limited too', async () => {
  const { client } = await member();
  const { id } = await client.ok('createChat', { body: { content: 'hello' } });
  await client.ok('getUsage');
  await client.call('exportChat', { params: { chat_id: id } });
  await client.call('exportChat', { params: { chat_id: id } });
  expect(await client.refusal('getUsage')).toBe('429 too_many_requests');
  expect(await client.refusal('exportChat', { params: { chat_id: id } })).toBe(
    '429 too_many_requests',
  );
});

test('a request beyond the rate limit reads no chat', async () => {
  const { client } = await member();
  const { id } = await client.ok('createChat', { body: { content: 'hello' } });
  for (let points = 0; points < 20; points += 10) await client.ok('getUsage');
  const locker = new Client({ connectionString: databaseUrl });
  await locker.connect();
  await locker.query('BEGIN; LOCK TABLE chats IN ACCESS EXCLUSIVE MODE');
  try {
    const params = { chat_id: id };
    expect(await client.refusal('exportChat', { params })).toBe('429 too_many_requests');
  } finally {
    await locker.end();
  }
});

test('uploads of a user wait in a bounded queue and do not delay uploads of other users', async () => {
  const { url } = await startServerOn(databaseUrl, {
    requestLimits: { pointsPerMinute: 0, concurrency: 1 },
  });
  const [noisy, quiet] = [await member(), await member()];
  const uploads = Array.from({ length: 1 + 128 + 12 }, () => slowUpload(url, noisy.secret));
  const answered: number[] = [];
  const statuses = uploads.map(async ({ status }) => answered.push(await status));
  await eventually(() => expect(answered).toEqual(Array.from({ length: 12 }, () => 429)));
  const other = slowUpload(url, quiet.secret);
  other.finish();
  expect(await other.status).toBe(201);
  for (const upload of uploads) upload.finish();
  await Promise.all(statuses);
  expect(answered.filter((status) => status === 201)).toHaveLength(129);
});

test("a user's number of tokens is limited", async () => {
  await admin.ok('updateSettings', { body: { max_tokens_per_user: 3 } });
  const { user, client } = await member();
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => client.call('createToken', { body: { name: 'more' } })),
  );
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(replies.filter(({ status }) => status === 409)).toHaveLength(3);
  const refusal = await admin.refused('createToken', { body: { name: 'more', user_id: user.id } });
  expect(refusal).toMatchObject({
    code: 'quota_exceeded',
    detail:
      'A user can have 3 tokens. Delete some of them, or ask an admin to raise max_tokens_per_user.',
  });
  const { tokens } = await client.ok('listTokens');
  expect(tokens).toHaveLength(3);
  const spare = tokens.find(({ name }) => name === 'more');
  await client.ok('deleteToken', { params: { token_id: spare?.id ?? '' } });
  await client.ok('createToken', { body: { name: 'again' } });
  await admin.ok('updateSettings', { body: { max_tokens_per_user: null } });
  await client.ok('createToken', { body: { name: 'no limit' } });
});

test("a user's number of open streams is limited across all tokens", async () => {
  await admin.ok('updateSettings', {
    body: { max_streams_per_user: 2, max_tokens_per_user: null },
  });
  const { user, secret, client, another } = await member();
  const { id } = await client.ok('createChat', { body: { content: 'hello' } });
  const other = await admin.ok('createToken', { body: { name: 'other', user_id: user.id } });
  const close = [await watch(secret), await watch(other.token)];
  const refusal = await (await another()).refused('streamChat', { params: { chat_id: id } });
  expect(refusal).toMatchObject({
    status: 429,
    code: 'too_many_requests',
    detail: 'This user has 2 open streams, which is the limit. Close some of them and try again.',
  });
  const closeOther = await watch((await member()).secret);
  for (const one of [...close, closeOther]) one();
});

test('quotas are on by default, and null turns them off', async () => {
  const settings = await admin.ok('getSettings');
  expect(settings.max_running_chats_per_user).toBe(64);
  expect(settings.max_workspaces_per_user).toBe(100);
  const body = { max_running_chats_per_user: null };
  expect(await admin.ok('updateSettings', { body })).toMatchObject(body);
  expect(await admin.ok('getSettings')).toMatchObject(body);
});
