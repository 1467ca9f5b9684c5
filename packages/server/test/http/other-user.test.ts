import { scopesOf } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { dump } from '@chatd/test-server/database';
import { pathFor, startTestServer } from '@chatd/test-server';
import { allRoutes, idsIn, routeInputs } from './route-inputs.ts';

const server = await startTestServer();
const { admin, anonymous, databaseUrl, owner, stranger } = server;

const { chat, file, token, owned: ownedIds, inputFor } = await routeInputs(server);

const owned = allRoutes.filter(([, route]) => route.scope !== 'admin' && idsIn(route).length > 0);
const administrative = allRoutes.filter(([, route]) => route.scope === 'admin');
const guarded = allRoutes.filter(([, route]) => route.scope !== null);

test('every path with an ID is about an owned resource or requires an admin', () => {
  expect(owned.length).toBeGreaterThan(15);
  expect(owned.flatMap(([, route]) => idsIn(route)).filter((id) => !(id in ownedIds))).toEqual([]);
});

/** Headers without those that differ between any two requests. */
const comparable = (headers: Headers) =>
  [...headers].filter(([name]) => !['x-request-id', 'date', 'ratelimit'].includes(name));

test.each(owned)(
  '%s responds to a resource of another user as if it did not exist',
  async (name, route) => {
    const before = await dump(databaseUrl);
    const theirs = await stranger.call(name, inputFor(name, route));
    const missing = await stranger.call(name, inputFor(name, route, true));
    expect(theirs.status).toBe(404);
    expect(theirs.text).toBe(missing.text);
    expect(comparable(theirs.headers)).toEqual(comparable(missing.headers));
    expect(await dump(databaseUrl)).toBe(before);
  },
);

/** Admins can share chats of other users. */
const strictlyOwned = owned.filter(([, route]) => route.anyOwner !== true);

test.each(strictlyOwned)('%s: an admin is refused too', async (name, route) => {
  const before = await dump(databaseUrl);
  expect(await admin.refusal(name, inputFor(name, route))).toBe('404 not_found');
  expect(await dump(databaseUrl)).toBe(before);
});

test.each(administrative)('%s is refused to members', async (name, route) => {
  const before = await dump(databaseUrl);
  expect(await stranger.refusal(name, inputFor(name, route))).toBe('403 admin_required');
  expect(await stranger.refusal(name, inputFor(name, route, true))).toBe('403 admin_required');
  expect(await dump(databaseUrl)).toBe(before);
});

test.each(guarded)('%s requires a token', async (name, route) => {
  const before = await dump(databaseUrl);
  expect(await anonymous.refusal(name, inputFor(name, route))).toBe('401 unauthenticated');
  expect(await dump(databaseUrl)).toBe(before);
});

const SCOPES = ['read', 'write', 'admin', 'metrics'] as const;

/** For each scope, a caller whose token has all others. */
const without = new Map(
  await Promise.all(
    SCOPES.map(async (missing) => {
      const scopes = SCOPES.filter((scope) => scope !== missing);
      const { token } = await admin.ok('createToken', { body: { name: missing, scopes } });
      return [missing, server.as(token)] as const;
    }),
  ),
);

test.each(guarded)('%s requires its scopes', async (name, route) => {
  for (const scope of scopesOf(route.scope)) {
    const before = await dump(databaseUrl);
    expect(await without.get(scope)?.refusal(name, inputFor(name, route))).toBe(
      '403 insufficient_scope',
    );
    expect(await dump(databaseUrl)).toBe(before);
  }
});

test.each(allRoutes)('%s has a handler', async (name, route) => {
  const method = route.method.toUpperCase();
  const { status, text } = await anonymous.send(method, pathFor(route, inputFor(name, route)));
  expect([404, 405], text).not.toContain(status);
});

test('files of another user cannot be put into a message', async () => {
  const content = [{ type: 'file', file_id: file.id }];
  const before = await dump(databaseUrl);
  const theirs = await stranger.refused('createChat', { body: { content } });
  expect(theirs).toMatchObject({ status: 400, code: 'unknown_file' });
  expect(await dump(databaseUrl)).toBe(before);
  await owner.ok('createChat', { body: { content } });
});

test("lists contain only the caller's resources", async () => {
  expect((await stranger.ok('listChats')).chats).toEqual([]);
  expect((await stranger.ok('listChats', { query: { q: 'first' } })).chats).toEqual([]);
  expect((await owner.ok('listChats', { query: { q: 'first' } })).chats).not.toEqual([]);
  const { tokens } = await stranger.ok('listTokens');
  expect(tokens.map(({ id }) => id)).not.toContain(token.id);
});

test('an admin can list the chats of all users, which is logged', async () => {
  expect((await admin.ok('listChats')).chats).toEqual([]);
  const { chats } = await admin.ok('listChats', { query: { all: true } });
  expect(chats.map(({ id }) => id)).toContain(chat.chatId);
  expect(server.logged.some((line) => line.includes('lists the chats of all users'))).toBe(true);
  const { token: reading } = await admin.ok('createToken', {
    body: { name: 'r', scopes: ['read'] },
  });
  expect(await server.as(reading).refusal('listChats', { query: { all: true } })).toBe(
    '403 insufficient_scope',
  );
  const found = await admin.ok('listChats', { query: { all: true, q: 'first' } });
  expect(found.chats.map(({ id }) => id)).toContain(chat.chatId);
});
