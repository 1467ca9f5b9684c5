import { createReadStream, createWriteStream } from 'node:fs';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chat, ChatEvent, Json } from '@chatd/protocol';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { readEffects } from '../../../../faults/deployment/effects.ts';
import { makeBackup, restoreBackup } from '../../src/backup/index.ts';
import { migrate, ownMigrations } from '../../src/store/migrate/migrate.ts';
import { labelOf } from '../../src/store/migrate/migration.ts';
import { config } from '@chatd/test-server';
import { createDatabase, dump, execute, INSTANT_DEMO } from '@chatd/test-server/database';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { expectAll } from './comparison.ts';
import { callIn, messagesOf, textOf, untilStatus } from './conversation.ts';
import { eventsOf } from './events.ts';
import { readFixtures, restoreFixture } from './fixture.ts';
import { type Observed, observe } from './observe.ts';
import { openFixture, type RestoredFixture } from './restored-fixture.ts';
import type { UpgradedServer } from './upgraded-server.ts';

/*
 * Migrates and uses databases that earlier versions wrote until they were killed. `npm run upgrade:dump -- REVISION`
 * creates another fixture.
 */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const OWN_MIGRATIONS = join(import.meta.dirname, '../../src/store/migrations');
const fixtures = readFixtures();
/** The oldest, and the last ones of two releases. The exhaustive tests use all. */
const chosen =
  process.env['CHATD_TEST_ALL'] === '1'
    ? fixtures
    : [...fixtures.slice(0, 1), ...fixtures.slice(-2)];
const folder = await makeTemporaryDirectory();
afterAll(() => rm(folder, { recursive: true, force: true }));

test('fixtures cover the first supported schema and later ones', () => {
  expect(fixtures.map(({ expectations }) => expectations.schema)).toEqual(
    expect.arrayContaining([1, 8, 11, 39]),
  );
});

describe.each(chosen.map((fixture) => [fixture.name, fixture] as const))('%s', (name, fixture) => {
  const { expectations } = fixture;
  const { chats, said } = expectations;
  let restored: RestoredFixture;
  let server: UpgradedServer;

  beforeAll(async () => {
    restored = await openFixture(fixture, folder);
  });
  afterAll(async () => {
    await server.close();
    await restored.close();
  });

  const idOf = (chat: string) => chats[chat] ?? expect.fail(`${name} has no chat ${chat}`);
  const has = (chat: string) => chats[chat] !== undefined;
  const read = (chat: string) => server.member.get<Chat>(`/chats/${idOf(chat)}`);
  const untilIdle = (chat: string) => untilStatus(server.member, idOf(chat), 'waiting');
  const messagesIn = (chat: string) => messagesOf(server.member, idOf(chat));
  const words = async (chat: string) => (await messagesIn(chat)).map(textOf);

  test('two concurrent migrations apply each step once, and another one has nothing to do', async () => {
    const missing = (await ownMigrations()).filter(({ version }) => version > expectations.schema);
    const { databaseUrl } = restored;
    const done = await Promise.all([migrate(databaseUrl), migrate(databaseUrl)]);
    const applied = done.flatMap((one) => one.applied);
    // Contract migrations wait for replicas from before 0012, which did not register.
    const waiting = new Set(done.flatMap((one) => one.waiting ?? []).map((one) => one.migration));
    expect([...applied, ...waiting].toSorted()).toEqual(missing.map(labelOf));
    await migrate(databaseUrl, { withoutWaiting: true });
    expect(await migrate(databaseUrl)).toEqual({ applied: [] });
  });

  test('the API returns what the old version returned', async () => {
    server = await restored.start(0);
    expectAll(await look(server), said);
  });

  test('the old password still works', async () => {
    const { status } = await server.member.try('POST', '/session', expectations.password);
    expect(status).toBe(200);
  });

  test('a stream from the beginning delivers the stored messages', async () => {
    await Promise.all(
      chatsIn(said.member).map(async (id) => {
        const events = await eventsOf(server.member, id, undefined, isPing);
        const told = events.flatMap((event) => (event.type === 'message' ? [event.message] : []));
        expect(told).toEqual(await messagesOf(server.member, id));
      }),
    );
  });

  test.runIf(Object.keys(expectations.cursors).length > 0)(
    'a client that resumes with a cursor of the old version gets no event twice',
    async () => {
      // Pending actions and errors follow the status event, where these cursors end.
      const told = new Set(['message', 'status', 'history_reset', 'queue_update']);
      await Promise.all(
        Object.entries(expectations.cursors).map(async ([chat, cursor]) => {
          const events = await eventsOf(server.member, idOf(chat), cursor, isPing);
          expect(
            events.filter(({ type }) => told.has(type)),
            chat,
          ).toEqual([]);
        }),
      );
    },
  );

  test('a server on a restored backup returns the same', async () => {
    const file = join(folder, `${name}.backup`);
    const { databaseUrl, dataDir } = restored;
    await makeBackup(config({ databaseUrl, dataDir }), {
      target: createWriteStream(file),
      withWorkspaces: fixture.hasWorkspaces,
      withSecretKey: false,
      now: new Date(),
      onProgress: () => undefined,
    });
    const database = await createDatabase(inject('postgresUrl'));
    onTestFinished(() => database.drop());
    const copy = { databaseUrl: database.url, dataDir: join(folder, `${name}-copy`) };
    await restoreBackup(config(copy), {
      source: createReadStream(file),
      onProgress: () => undefined,
    });
    const other = await restored.start(0, copy);
    try {
      expectAll(await look(other), said);
    } finally {
      await other.close();
    }
  });

  test('running chats are taken over and finished', async () => {
    await server.close();
    await execute(restored.databaseUrl, INSTANT_DEMO);
    server = await restored.start(20);
    await untilIdle('running');
    const [asked, answered, ...more] = await messagesIn('running');
    expect(more).toEqual([]);
    expect(asked).toEqual(messageIn(said.member, idOf('running'), 0));
    expect(answered?.role).toBe('assistant');
    if (has('interrupting')) await untilIdle('interrupting');
    if (has('supervisor')) await untilIdle('supervisor');
  });

  test('queued messages are answered in order', async () => {
    await untilIdle('queued');
    const asked = (await messagesIn('queued')).filter(({ role }) => role === 'user');
    const order = has('approval')
      ? ['hold while others wait', 'say I may go first', 'say I had to wait']
      : ['say first', 'say I had to wait'];
    expect(asked.map(textOf)).toEqual(order);
  });

  test.runIf(has('in-a-tool'))('a tool that ran during the kill is not run again', async () => {
    await untilIdle('in-a-tool');
    const parts = (await messagesIn('in-a-tool')).flatMap(({ content }) => content);
    expect(parts.filter(({ type }) => type === 'tool-result')).toEqual([
      expect.objectContaining({ tool_name: 'count', is_error: true }),
    ]);
    expect(await readEffects(restored.effects)).toEqual([]);
  });

  test('a client can answer a pending tool call', async () => {
    const { status, id } = await read('dynamic');
    expect(status).toBe('requires_action');
    await server.member.post(`/chats/${id}/tool-results`, {
      results: [
        {
          tool_call_id: callIn(await messagesOf(server.member, id)),
          output: { found: 'a zebra' },
        },
      ],
    });
    await untilIdle('dynamic');
    expect((await messagesIn('dynamic')).at(-1)?.role).toBe('assistant');
  });

  test.runIf(has('approval'))('a user can approve a pending tool call', async () => {
    const id = idOf('approval');
    await server.member.post(`/chats/${id}/approvals`, {
      decisions: [{ tool_call_id: callIn(await messagesOf(server.member, id)), decision: 'allow' }],
    });
    await untilIdle('approval');
    expect(await words('approval')).toContain('tick was called');
    expect(await readEffects(restored.effects)).toContainEqual(
      expect.objectContaining({ key: 'asked', what: 'begin' }),
    );
  });

  test('a new message is answered in every chat', async () => {
    const closed = new Set(['deleted', 'of-the-admin']);
    await server.member.call('PATCH', `/chats/${idOf('archived')}`, { archived: false });
    const open = Object.keys(chats).filter((chat) => !closed.has(chat));
    await Promise.all(
      open.map(async (chat) => {
        // belongings.test.ts covers pending actions.
        if ((await read(chat)).status === 'requires_action') return;
        const before = await messagesIn(chat);
        await server.member.post(`/chats/${idOf(chat)}/messages`, { content: 'say once more' });
        await untilIdle(chat);
        const after = await messagesIn(chat);
        expect(after.slice(0, before.length), chat).toEqual(before);
        const more = after.slice(before.length).map(({ role }) => role);
        expect(more, chat).toEqual(['user', 'assistant']);
      }),
    );
    // The scripted model accepts only the key that the old version encrypted.
    if (has('approval')) expect(await words('answered')).toContain('once more');
    expect(restored.model.provider.rejected).toEqual([]);
  });

  test('a message of the old version can be edited', async () => {
    const [first] = await messagesIn('edited');
    await server.member.call('PATCH', `/chats/${idOf('edited')}/messages/${first?.id}`, {
      content: 'say third wording',
    });
    await untilIdle('edited');
    const edited = await messagesIn('edited');
    expect(edited.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(edited.map(textOf)).toContain('say third wording');
  });

  test('a search finds old messages', async () => {
    const found = await server.member.get<{ chats: Chat[] }>('/chats?q=zebra');
    expect(found.chats.map(({ id }) => id)).toContain(idOf('answered'));
  });

  test.runIf(has('deleted'))('a deleted chat stays deleted', async () => {
    expect((await server.member.try('GET', `/chats/${idOf('deleted')}`)).status).toBe(404);
  });

  async function look({ admin, member }: UpgradedServer) {
    const { files, range } = expectations;
    const seen = {
      admin: await observe(admin, { admin: true, chats: chatsIn(said.admin), files: [], range }),
      member: await observe(member, { admin: false, chats: chatsIn(said.member), files, range }),
    };
    return JSON.parse(restored.withoutAddresses(JSON.stringify(seen))) as typeof seen;
  }
});

test('a failed migration leaves a database of an earlier version unchanged', async () => {
  const oldest = fixtures[0] ?? expect.fail('there is no fixture');
  const database = await createDatabase(inject('postgresUrl'));
  onTestFinished(() => database.drop());
  await restoreFixture(database.url, oldest);
  await migrate(database.url);
  const before = await dump(database.url);
  const directory = join(folder, 'migrations');
  await cp(OWN_MIGRATIONS, directory, { recursive: true });
  await writeFile(join(directory, '9999_broken.sql'), 'DROP TABLE messages CASCADE; SELECT 1 / 0;');
  await expect(migrate(database.url, { directory })).rejects.toMatchObject({
    kind: 'migration_failed',
    message: expect.stringContaining('9999_broken failed and was rolled back'),
  });
  expect(await dump(database.url)).toBe(before);
});

/** The IDs of the observed chats. */
const chatsIn = (observed: Observed): string[] =>
  Object.keys(observed)
    .map((path) => /^\/chats\/([\w-]+)$/.exec(path)?.[1])
    .filter((id) => id !== undefined);

const isPing = ({ type }: ChatEvent): boolean => type === 'ping';

function messageIn(observed: Observed, chat: string, index: number): Json {
  const page = observed[`/chats/${chat}/messages?limit=200`] as { messages: Json[] };
  return page.messages[index] ?? null;
}
