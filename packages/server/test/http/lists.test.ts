import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { ANY_CHAT, filterParams } from '../../src/store/chat-reads.ts';
import { listProjectChats, listRecentChats } from '../../src/store/queries/chats/list.ts';
import { valuesOf } from '../../src/store/statement.ts';
import { uuidv7 } from '../../src/store/uuid.ts';
import { execute, says } from '@chatd/test-server/database';
import { inState } from '../store/state-fixtures.ts';
import { startTestServer } from '@chatd/test-server';

const server = await startTestServer();
const { admin, databaseUrl, owner, store } = server;

/** A member without chats. */
async function newMember() {
  const user = await admin.ok('createUser', { body: { username: `u${randomUUID()}` } });
  const { token } = await admin.ok('createToken', { body: { name: 't', user_id: user.id } });
  return { id: user.id, client: server.as(token) };
}

async function insertChats(id: string, count: number): Promise<void> {
  // Several chats share the same microsecond, so only the ID orders them.
  await execute(
    databaseUrl,
    `INSERT INTO chats (id, owner_id, status, title, pin_order, model_config_id, snapshot_version,
                        history_version, queue_version, active_at)
     SELECT gen_random_uuid(), '${id}', 'waiting', 'Chat ' || n, CASE WHEN n % 7 = 0 THEN n % 3 + 1 ELSE 0 END,
            (SELECT id FROM model_configs LIMIT 1), 1, 1, 0,
            timestamptz '2026-01-01' + (n / 3) * interval '1 microsecond'
       FROM generate_series(1, ${count}) AS n`,
  );
}

async function pages(client: typeof owner, query: Record<string, string | number>) {
  const all = [];
  let cursor: string | null = null;
  let count = 0;
  do {
    const next: Record<string, string | number> = cursor === null ? query : { ...query, cursor };
    const { chats, next_cursor } = await client.ok('listChats', { query: next });
    all.push(...chats);
    cursor = next_cursor;
    count += 1;
  } while (cursor !== null);
  return { all, count };
}

test('pages contain every chat once, pinned first, then by newest activity', async () => {
  const { id, client } = await newMember();
  await insertChats(id, 100);
  const { all: whole } = await pages(client, { limit: 200 });
  expect(whole).toHaveLength(100);
  const pins = whole.map(({ pin_order }) => pin_order).filter((order) => order > 0);
  expect(pins).toEqual(pins.toSorted((a, b) => a - b));
  expect(pins.length).toBe(14);
  expect(whole.slice(0, 14).every(({ pin_order }) => pin_order > 0)).toBe(true);
  for (const limit of [1, 3, 14, 33, 100]) {
    const { all, count } = await pages(client, { limit });
    expect(all.map((chat) => chat.id)).toEqual(whole.map((chat) => chat.id));
    expect(count).toBe(Math.ceil(100 / limit));
  }
});

test('a chat that becomes active between two pages does not cause lost or repeated chats', async () => {
  const { id, client } = await newMember();
  await insertChats(id, 20);
  const first = await client.ok('listChats', { query: { limit: 10 } });
  await execute(
    databaseUrl,
    `UPDATE chats SET active_at = now() WHERE id = '${first.chats.at(-1)?.id}'`,
  );
  const second = await client.ok('listChats', {
    query: { limit: 10, cursor: first.next_cursor ?? '' },
  });
  const ids = [...first.chats, ...second.chats].map((chat) => chat.id);
  expect(new Set(ids).size).toBe(20);
});

test('a late page is read from the index, starting at the cursor', async () => {
  const { id } = await newMember();
  await insertChats(id, 20_000);
  await execute(databaseUrl, 'ANALYZE chats');
  const values = valuesOf(listRecentChats, {
    owner_id: id,
    archived: false,
    ...filterParams(ANY_CHAT),
    after_activity: 1_767_225_600_000_000 + 1000,
    after_id: uuidv7(),
    limit: 50,
  });
  const plan = await explain(listRecentChats.text, values);
  expect(plan).toContain('Index Scan using chats_by_activity');
  expect(plan).toMatch(/Index Cond: .*owner_id = .*pin_order = 0.*ROW\(active_at, id\) </);
  expect(plan).not.toContain('Sort');
});

async function explain(text: string, values: unknown[]): Promise<string> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, string>>(`EXPLAIN ${text}`, values);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.end();
  }
}

test('lists can be filtered by status, label, and archive', async () => {
  const { client } = await newMember();
  const blue = await client.ok('createChat', {
    body: { content: 'a', labels: { team: 'blue:1', x: 'y' } },
  });
  const red = await client.ok('createChat', { body: { content: 'b', labels: { team: 'red' } } });
  const list = async (query: Record<string, string>) =>
    (await client.ok('listChats', { query })).chats.map(({ id }) => id);
  expect(await list({ label: 'team:blue:1' })).toEqual([blue.id]);
  expect(await list({ label: 'team:green' })).toEqual([]);
  expect(await list({ status: 'running' })).toEqual([red.id, blue.id]);
  expect(await list({ status: 'waiting' })).toEqual([]);
  expect(await list({ archived: 'true' })).toEqual([]);
});

test('lists can be filtered by model, workspace, time, and cost, also with a search', async () => {
  const { id: owner_id, client } = await newMember();
  const cheap = await store.create({ owner_id, title: 'cheap heron' });
  const dear = await store.create({ owner_id, title: 'dear heron' });
  const workspace_id = randomUUID();
  await execute(
    databaseUrl,
    `UPDATE chats SET workspace_id = '${workspace_id}', active_at = '2026-01-01' WHERE id = '${dear.id}';
     INSERT INTO model_calls (user_id, chat_id, root_chat_id, model_config_id, input_tokens, output_tokens,
                              reasoning_tokens, cache_read_tokens, cache_creation_tokens, cost_micros, runtime_ms, kind)
     SELECT owner_id, id, id, model_config_id, 1, 1, 0, 0, 0, 300000, 1, 'turn'
       FROM chats, generate_series(1, 2) WHERE id = '${dear.id}'`,
  );
  const list = async (query: Record<string, string>) => {
    const found = async (more: Record<string, string>) =>
      (await client.ok('listChats', { query: { ...query, ...more } })).chats.map(({ id }) => id);
    const all = await found({});
    expect((await found({ q: 'heron' })).toSorted()).toEqual(all.toSorted());
    return all;
  };
  const both = [cheap.id, dear.id];
  expect(await list({})).toEqual(both);
  expect(await list({ model_config_id: cheap.model_config_id })).toEqual(both);
  expect(await list({ model_config_id: randomUUID() })).toEqual([]);
  expect(await list({ workspace_id })).toEqual([dear.id]);
  expect(await list({ active_after: '2026-01-02T00:00:00Z' })).toEqual([cheap.id]);
  expect(await list({ active_before: '2026-01-02T00:00:00Z' })).toEqual([dear.id]);
  expect(await list({ active_after: '2026-01-01T00:00:00Z' })).toEqual(both);
  expect(await list({ min_cost_micros: '600000' })).toEqual([dear.id]);
  expect(await list({ min_cost_micros: '600001' })).toEqual([]);
  expect(await client.refusal('listChats', { query: { active_after: 'today' } })).toBe(
    '400 invalid_query',
  );
});

test('the chats of a project are read from their index', async () => {
  const { id, client } = await newMember();
  await insertChats(id, 5000);
  const { id: project_id } = await client.ok('createProject', { body: { name: 'Few' } });
  await execute(
    databaseUrl,
    `UPDATE chats SET project_id = '${project_id}'
      WHERE id IN (SELECT id FROM chats WHERE owner_id = '${id}' LIMIT 20);
     ANALYZE chats`,
  );
  const values = valuesOf(listProjectChats, {
    owner_id: id,
    project_id,
    archived: false,
    ...filterParams(ANY_CHAT),
    after_activity: null,
    after_id: null,
    limit: 50,
  });
  expect(await explain(listProjectChats.text, values)).toContain(
    'Index Scan using chats_by_project',
  );
  const { all } = await pages(client, { project_id, limit: '7' });
  expect(new Set(all.map((chat) => chat.id)).size).toBe(20);
});

test('archived chats are in a separate list', async () => {
  const { chatId } = await inState(store, 'archived');
  const { chats: current } = await owner.ok('listChats', { query: { limit: 200 } });
  const { chats: archived } = await owner.ok('listChats', { query: { archived: true } });
  expect(current.map(({ id }) => id)).not.toContain(chatId);
  expect(archived.map(({ id }) => id)).toContain(chatId);
});

test('subagents are listed by parent and found by a search', async () => {
  const { id: ownerId, client } = await newMember();
  const family = { owner_id: ownerId, title: 'hydrangea' };
  const root = await store.create(family);
  const children = [];
  for (let count = 0; count < 3; count += 1) {
    children.unshift(await store.create({ ...family, parent: root }));
  }
  const [first] = children;
  const grandchild = await store.create({ ...family, parent: first ?? root });
  const list = async (query: Record<string, string>, as = client) =>
    (await pages(as, query)).all.map(({ id }) => id);
  expect(await list({})).toEqual([root.id]);
  expect(await list({ parent_chat_id: root.id })).toEqual(children.map(({ id }) => id));
  expect(await list({ parent_chat_id: root.id, limit: '1' })).toEqual(children.map(({ id }) => id));
  expect(await list({ parent_chat_id: first?.id ?? '' })).toEqual([grandchild.id]);
  expect(await list({ parent_chat_id: root.id, status: 'waiting' })).toEqual([]);
  expect(await list({ parent_chat_id: root.id, archived: 'true' })).toEqual([]);
  expect(await list({ q: 'hydrangea' })).toHaveLength(5);
  expect(await list({ parent_chat_id: root.id }, server.stranger)).toEqual([]);
  expect(await list({ parent_chat_id: root.id }, owner)).toEqual([]);
});

test('search finds words of titles and messages, the last one by prefix', async () => {
  const { chatId } = await inState(store, 'running');
  const fence = await store.take(chatId);
  await store.runner.commitStep(chatId, fence, {
    attempt: 0,
    messages: [says("L'élan de zygomorphic flowers isn't 100% \\ certain")],
  });
  await owner.ok('updateChat', { params: { chat_id: chatId }, body: { title: 'Botany lesson' } });
  const find = async (q: string) =>
    (await owner.ok('listChats', { query: { q } })).chats.map(({ id }) => id);
  for (const q of [
    'zygomorphic',
    'zygo',
    'flowers zygomor',
    'Botany',
    'bot',
    '"zygomorphic flowers"',
    '"zygomorphic flow',
    'nothing or zygomorphic',
    'zygomorphic -tulips',
    "isn't",
    'certain',
    'élan',
  ]) {
    expect(await find(q), q).toEqual([chatId]);
  }
  for (const q of [
    'zygote',
    'flowers tulips',
    'zygomorphic -"zygomorphic flowers"',
    '!!!',
    '\\',
    "'",
    ':*',
    '( | &',
    '-',
  ]) {
    expect(await find(q), q).toEqual([]);
  }
  expect(await find('  ')).toContain(chatId);
});

test('messages are read backward from the newest page, or forward from a message', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);
  await store.runner.commitStep(id, fence, {
    attempt: 0,
    messages: Array.from({ length: 9 }, (_, index) => says(`answer ${index + 1}`)),
  });
  const params = { chat_id: id };
  const ids = (await store.history(id)).map((message) => message.id);
  const read = async (query: Record<string, number>) => {
    const { messages, has_more } = await owner.ok('listMessages', { params, query });
    return [messages.map((message) => message.id), has_more];
  };
  expect(await read({})).toEqual([ids, false]);
  expect(await read({ limit: 3 })).toEqual([ids.slice(7), true]);
  expect(await read({ limit: 3, before_id: ids[7]! })).toEqual([ids.slice(4, 7), true]);
  expect(await read({ limit: 4, before_id: ids[4]! })).toEqual([ids.slice(0, 4), false]);
  expect(await read({ limit: 3, after_id: ids[0]! })).toEqual([ids.slice(1, 4), true]);
  expect(await read({ limit: 9, after_id: ids[0]! })).toEqual([ids.slice(1), false]);
  expect(await read({ after_id: ids[2]!, before_id: ids[5]! })).toEqual([ids.slice(3, 5), false]);
  expect(await read({ limit: 3, after_id: 0 })).toEqual([ids.slice(0, 3), true]);
  expect(await read({ after_id: 0, before_id: ids[2]! })).toEqual([ids.slice(0, 2), false]);
  expect(await read({ after_id: ids.at(-1)! })).toEqual([[], false]);
});

test('next_cursor continues in the direction of the first page', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);
  await store.runner.commitStep(id, fence, {
    attempt: 0,
    messages: Array.from({ length: 6 }, (_, index) => says(`answer ${index + 1}`)),
  });
  const params = { chat_id: id };
  const ids = (await store.history(id)).map((message) => message.id);
  const readAll = async (first: Record<string, number>) => {
    const found: number[][] = [];
    let query: Record<string, number | string> = first;
    for (;;) {
      const page = await owner.ok('listMessages', { params, query: { ...query, limit: 3 } });
      found.push(page.messages.map((message) => message.id));
      expect(page.has_more).toBe(page.next_cursor !== null);
      if (page.next_cursor === null) return found;
      query = { cursor: page.next_cursor };
    }
  };
  expect(await readAll({})).toEqual([ids.slice(4), ids.slice(1, 4), ids.slice(0, 1)]);
  expect(await readAll({ after_id: 0 })).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
  expect(await readAll({ after_id: ids[0]!, before_id: ids[5]! })).toEqual([
    ids.slice(1, 4),
    ids.slice(4, 5),
  ]);
});

test('an admin can get a user by ID, a member cannot', async () => {
  const { id, client } = await newMember();
  const params = { user_id: id };
  expect(await admin.ok('getUser', { params })).toMatchObject({ id, role: 'member' });
  expect(await client.refusal('getUser', { params })).toBe('403 admin_required');
  expect(await admin.refusal('getUser', { params: { user_id: randomUUID() } })).toBe(
    '404 not_found',
  );
});

test('tokens and users are paged too', async () => {
  const { client } = await newMember();
  for (const name of ['a', 'b', 'c']) await client.ok('createToken', { body: { name } });
  const first = await client.ok('listTokens', { query: { limit: 3 } });
  expect(first.tokens.map(({ name }) => name)).toEqual(['t', 'a', 'b']);
  const second = await client.ok('listTokens', { query: { cursor: first.next_cursor ?? '' } });
  expect(second.tokens.map(({ name }) => name)).toEqual(['c']);
  expect(second.next_cursor).toBeNull();
  const users = await admin.ok('listUsers', { query: { limit: 1 } });
  expect(users.users).toHaveLength(1);
  const rest = await admin.ok('listUsers', { query: { cursor: users.next_cursor ?? '' } });
  expect(rest.users.map(({ id }) => id)).not.toContain(users.users[0]?.id);
});
