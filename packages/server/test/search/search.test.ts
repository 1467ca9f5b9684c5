import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { expect, test, vi } from 'vitest';
import { indexPending } from '../../src/search/indexer.ts';
import { findChats, matchOf, type SearchFilter } from '../../src/search/search-chats.ts';
import { ANY_CHAT, filterParams } from '../../src/store/chat-reads.ts';
import { listVersions } from '../../src/store/queries/messages/versions.ts';
import {
  preferIndexes,
  searchChats,
  type SearchParams,
} from '../../src/store/queries/search/search-chats.ts';
import { statement, valuesOf } from '../../src/store/statement.ts';
import { blockedBy } from '../store/blocked.ts';
import { execute, says, TestStore, text } from '@chatd/test-server/database';

const store = await TestStore.open();
const { database } = store;

async function newOwner(): Promise<string> {
  const id = randomUUID();
  await execute(
    store.url,
    `INSERT INTO users (id, username, role) VALUES ('${id}', '${id}', 'member')`,
  );
  return id;
}

/** A chat with these messages, the first by the user. */
async function chatWith(owner_id: string, ...said: readonly string[]): Promise<string> {
  const { id } = await store.create({ owner_id, title: 'Untitled', content: text(said[0] ?? '') });
  if (said.length === 1) return id;
  const fence = await store.take(id);
  await store.runner.commitStep(id, fence, {
    attempt: 0,
    messages: said.slice(1).map(says),
    next: 'finish_turn',
  });
  return id;
}

const filterOf = (ownerId: string | null, words: string): SearchFilter => ({
  ownerId,
  text: words,
  ...ANY_CHAT,
  archived: false,
  after: null,
  limit: 50,
  withShared: true,
});

async function find(ownerId: string | null, words: string): Promise<string[]> {
  const { rows } = await findChats(database, filterOf(ownerId, words));
  return rows.map(({ id }) => id);
}

async function snippets(ownerId: string, words: string): Promise<unknown[]> {
  const { rows, words: shown } = await findChats(database, filterOf(ownerId, words));
  return rows.map((row) => matchOf(row, shown));
}

/** Runs the check before and after the messages are indexed. */
async function alsoIndexed(check: () => Promise<void>): Promise<void> {
  await check();
  await indexPending(database);
  const pending = await execute(store.url, 'SELECT chat_id FROM search_pending');
  expect(pending).toEqual([]);
  await check();
}

test('a search finds words of one message, phrases, alternatives, and prefixes', async () => {
  const owner = await newOwner();
  const chat = await chatWith(
    owner,
    'first question',
    "L'élan of zygomorphic flowers isn't 100% \\ certain",
    'tulips',
  );
  await alsoIndexed(async () => {
    for (const words of [
      'zygomorphic',
      'ZYGO',
      'flowers zygomor',
      '"zygomorphic flowers"',
      '"zygomorphic flow',
      'nothing or zygomorphic',
      'zygomorphic -tulips',
      "isn't",
      'certain',
      'élan',
      '100',
      'first',
      'tulips -first',
      'zygomorphic -"flowers zygomorphic"',
    ]) {
      expect(await find(owner, words), words).toEqual([chat]);
    }
    for (const words of [
      'zygote',
      'flowers tulips',
      '"flowers zygomorphic"',
      'zygomorphic -flowers',
      '-zygomorphic',
      'zygomorphic -"zygomorphic flowers"',
      '!!!',
      '\\',
      "'",
      ':*',
      '( | &',
      '-',
      '',
    ]) {
      expect(await find(owner, words), words).toEqual([]);
    }
  });
});

test('chats with a matching title come first, then those with newer activity; pages continue where they ended', async () => {
  const owner = await newOwner();
  const chats = [];
  for (let n = 0; n < 9; n += 1) chats.push(await chatWith(owner, `plain wisteria ${n}`, 'answer'));
  const titled = chats[4]!;
  await execute(store.url, `UPDATE chats SET title = 'Wisteria' WHERE id = '${titled}'`);
  const expected = [titled, ...chats.filter((id) => id !== titled).toReversed()];
  await alsoIndexed(async () => {
    expect(await find(owner, 'wisteria')).toEqual(expected);
    const paged: string[] = [];
    let after: SearchFilter['after'] = null;
    for (;;) {
      const { rows } = await findChats(database, {
        ...filterOf(owner, 'wisteria'),
        limit: 2,
        after,
      });
      paged.push(...rows.map(({ id }) => id));
      after = rows.at(-1) ?? null;
      if (after === null) break;
    }
    expect(paged).toEqual(expected);
  });
});

test('a snippet is cut from the newest message with most of the words, or is the title', async () => {
  const owner = await newOwner();
  const chat = await chatWith(
    owner,
    'peonies',
    'peonies and more lilacs here',
    'lilacs',
    'nothing',
  );
  const [, , lilacs] = await store.history(chat);
  expect(lilacs?.content).toEqual(text('lilacs'));
  const [, best] = await store.history(chat);
  await alsoIndexed(async () => {
    const match = {
      snippet: 'peonies and more lilacs here',
      highlights: [
        { start: 0, end: 7 },
        { start: 17, end: 23 },
      ],
    };
    expect(await snippets(owner, 'peonies lilacs')).toEqual([{ message_id: best?.id, ...match }]);
    expect(await snippets(owner, 'lil')).toEqual([
      { message_id: lilacs?.id, snippet: 'lilacs', highlights: [{ start: 0, end: 6 }] },
    ]);
    expect(await snippets(owner, 'untitled')).toEqual([
      { snippet: 'Untitled', highlights: [{ start: 0, end: 8 }] },
    ]);
  });
});

test('after an edit, the replaced messages are not found, and earlier ones still are', async () => {
  const owner = await newOwner();
  const id = await chatWith(owner, 'azalea question', 'begonia answer');
  await store.client.send(id, store.message('camellia question'));
  const fence = await store.take(id);
  await store.runner.commitStep(id, fence, {
    attempt: 0,
    messages: [says('dahlia answer')],
    next: 'finish_turn',
  });
  await indexPending(database);
  const [, , question] = await store.history(id);
  await store.client.editMessage(id, question!.id, store.message('edelweiss question'));
  await alsoIndexed(async () => {
    for (const word of ['azalea', 'begonia', 'edelweiss'])
      expect(await find(owner, word), word).toEqual([id]);
    for (const word of ['camellia', 'dahlia']) expect(await find(owner, word), word).toEqual([]);
  });
});

test('only the current version is found, also after another one is selected', async () => {
  const owner = await newOwner();
  const id = await chatWith(owner, 'iris question', 'jasmine answer');
  await indexPending(database);
  const [question] = await store.history(id);
  const how = { model_config_id: null, reasoning_effort: null };
  await store.client.regenerate(id, question!.id, how);
  await store.runner.commitStep(id, await store.take(id), {
    attempt: 0,
    messages: [says('kingcup answer')],
    next: 'finish_turn',
  });
  const found = async () => ({
    jasmine: await find(owner, 'jasmine'),
    kingcup: await find(owner, 'kingcup'),
  });
  await alsoIndexed(async () => expect(await found()).toEqual({ jasmine: [], kingcup: [id] }));
  const [first] = await database.query(listVersions, { chat_id: id });
  await store.client.selectVersion(id, first!.id);
  await alsoIndexed(async () => expect(await found()).toEqual({ jasmine: [id], kingcup: [] }));
});

test('chats of other owners are not found, except by a search of all owners', async () => {
  const [mine, theirs] = [await newOwner(), await newOwner()];
  const [own, other] = [await chatWith(mine, 'hollyhock'), await chatWith(theirs, 'hollyhock')];
  await alsoIndexed(async () => {
    expect(await find(mine, 'hollyhock')).toEqual([own]);
    expect(await find(theirs, 'hollyhock')).toEqual([other]);
    expect(await find(null, 'hollyhock')).toEqual([other, own]);
  });
});

test('shared chats and their subagents are found with the role, until access ends', async () => {
  const [mine, theirs] = [await newOwner(), await newOwner()];
  const own = await chatWith(mine, 'agapanthus');
  const shared = await chatWith(theirs, 'agapanthus', 'agapanthus');
  const parent = { id: shared, root_chat_id: null };
  const agent = await store.create({ owner_id: theirs, parent, content: text('agapanthus') });
  const titled = await store.create({ owner_id: theirs, title: 'Agapanthus' });
  await chatWith(theirs, 'agapanthus, not shared');
  const grant = (chat: string, column: string, id: string) =>
    execute(
      store.url,
      `INSERT INTO chat_grants (chat_id, ${column}, role) VALUES ('${chat}', ${id}, 'viewer')`,
    );
  await grant(shared, 'user_id', `'${mine}'`);
  await grant(titled.id, 'user_id', 'NULL');
  await alsoIndexed(async () => {
    const { rows, guests } = await findChats(database, filterOf(mine, 'agapanthus'));
    expect(rows.map(({ id }) => id)).toEqual([titled.id, agent.id, shared, own]);
    expect(rows.map(({ id }) => guests.get(id)?.role)).toEqual([
      'viewer',
      'viewer',
      'viewer',
      undefined,
    ]);
    expect(guests.get(shared)).toMatchObject({ owner_name: theirs, read_version: 0 });
    // A common word of the other owner, in a chat that is not shared.
    expect(await find(mine, 'not')).toEqual([]);
  });
  const filter = { ...filterOf(mine, 'agapanthus'), withShared: false };
  expect((await findChats(database, filter)).rows.map(({ id }) => id)).toEqual([own]);
  await execute(store.url, 'DELETE FROM chat_grants');
  expect(await find(mine, 'agapanthus')).toEqual([own]);
});

test('in a chat with several segments, each message is found once and by its own words', async () => {
  const owner = await newOwner();
  const said = Array.from({ length: 400 }, (_, n) => `common word number${n}`);
  const id = await chatWith(owner, ...said.slice(0, 300));
  await indexPending(database);
  await store.client.send(id, store.message(said[300] ?? ''));
  const fence = await store.take(id);
  const messages = said.slice(301).map(says);
  await store.runner.commitStep(id, fence, { attempt: 0, messages, next: 'finish_turn' });
  await indexPending(database);
  const segments = await execute(
    store.url,
    `SELECT cardinality(message_ids) AS messages FROM search_segments WHERE chat_id = '${id}' ORDER BY last_id`,
  );
  expect(segments).toEqual([128, 128, 128, 16].map((messages) => ({ messages })));
  for (const n of [0, 127, 128, 255, 299, 300, 399]) {
    expect(await find(owner, `common number${n}`)).toEqual([id]);
    expect(await snippets(owner, `number${n}`)).toMatchObject([{ snippet: said[n] }]);
  }
});

test('messages that are too long to index are indexed in part, and do not block others', async () => {
  const owner = await newOwner();
  const long = Array.from({ length: 100_000 }, (_, n) => `w${n}`).join(' ');
  const id = await chatWith(
    owner,
    long,
    `${'x'.repeat(5000)} y`,
    long,
    '漢'.repeat(60_000),
    'gladiolus',
  );
  await indexPending(database);
  expect(await find(owner, 'gladiolus')).toEqual([id]);
  expect(await find(owner, 'w7')).toEqual([id]);
});

test('the indexer skips locked chats, and removes pending entries of deleted chats', async () => {
  const owner = await newOwner();
  const [busy, gone] = [await chatWith(owner, 'freesia'), await chatWith(owner, 'freesia')];
  const tx = await database.begin();
  await tx.query(
    statement<{ id: string }, { id: string }>(
      'test-lock',
      'SELECT id FROM chats WHERE id = :id FOR UPDATE',
    ),
    { id: busy },
  );
  await execute(store.url, `DELETE FROM chats WHERE id = '${gone}'`);
  await indexPending(database);
  const pending = () => execute(store.url, 'SELECT chat_id FROM search_pending');
  expect(await pending()).toEqual([{ chat_id: busy }]);
  expect(await find(owner, 'freesia')).toEqual([busy]);
  await tx.rollback();
  await indexPending(database);
  expect(await pending()).toEqual([]);
});

/** Random, because the limit of pending text applies to compressed text. */
const longText = () => randomBytes(150_000).toString('base64');

test('a search reads a limited amount of pending text, newest first, and finds the rest once it is indexed', async () => {
  const owner = await newOwner();
  const old = await chatWith(owner, `dahlia ${longText()}`);
  await chatWith(owner, longText());
  const recent = await chatWith(owner, 'dahlia');
  expect(await find(owner, 'dahlia')).toEqual([recent]);
  await indexPending(database);
  expect(await find(owner, 'dahlia')).toEqual([recent, old]);
});

test('a message that commits while its chat is indexed is not missed', async () => {
  const owner = await newOwner();
  const id = await chatWith(owner, 'anemone');
  await store.client.send(id, store.message('buttercup'));
  const fence = await store.take(id);
  for (let n = 0; n < 20; n += 1) {
    await Promise.all([
      indexPending(database),
      store.runner.commitStep(
        id,
        { ...fence, history_version: (await store.read(id)).history_version },
        {
          attempt: 0,
          messages: [says(`racing${n}`)],
        },
      ),
    ]);
  }
  await indexPending(database);
  for (let n = 0; n < 20; n += 1) expect(await find(owner, `racing${n}`)).toEqual([id]);
});

test.each([
  ['indexed part of it', 'UPDATE search_pending SET from_id = from_id + 1 WHERE chat_id = :id'],
  ['indexed all of it', 'DELETE FROM search_pending WHERE chat_id = :id'],
])('a chat is skipped if another indexer has %s meanwhile', async (what, sql) => {
  const id = await chatWith(await newOwner(), 'crocus');
  const other = await database.begin();
  await other.query(statement<{ id: string }, never>(`test-other-indexer-${what}`, sql), { id });
  const indexing = indexPending(database);
  await blockedBy(store, 'reopened');
  await other.commit();
  await indexing;
  const segments = await execute(
    store.url,
    `SELECT chat_id FROM search_segments WHERE chat_id = '${id}'`,
  );
  expect(segments).toEqual([]);
});

test('a search reads no rows of other owners, however common the word', async () => {
  const [owner, ...others] = await Promise.all(Array.from({ length: 6 }, newOwner));
  const own = await chatWith(owner!, 'ubiquitous', 'ubiquitous');
  for (const other of others)
    for (let n = 0; n < 8; n += 1) await chatWith(other, 'ubiquitous', 'ubiquitous');
  await indexPending(database);
  await execute(store.url, 'VACUUM ANALYZE search_segments');
  const plan = await explain({
    owner_id: owner!,
    message_query: `'ubiq':*`,
    segment_query: `('ubiq':*)`,
    together_query: `('ubiq':*)`,
    has_phrase: false,
    archived: false,
    project_id: null,
    ...filterParams(ANY_CHAT),
    after_in_title: null,
    after_activity: null,
    after_id: null,
    limit: 50,
  });
  const scans = plan.filter((node) => node['Relation Name'] === 'search_segments');
  const used = plan.map((node) => node['Index Name']);
  expect(used).toContain('search_segments_by_word');
  expect(scans.map((node) => node['Actual Rows'])).toContain(1);
  expect(scans.every((node) => (node['Rows Removed by Filter'] ?? 0) === 0)).toBe(true);
  expect(await find(owner!, 'ubiq')).toEqual([own]);
});

test('a search uses the index, even if the planner would prefer a sequential scan', async () => {
  const owner = await newOwner();
  const id = await chatWith(owner, 'seldom');
  await indexPending(database);
  const scans = statement<null, { seq_scan: number }>(
    'test-scans',
    `SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'search_segments'`,
  );
  const readTransaction = database.readTransaction.bind(database);
  const counts: { seq_scan: number }[] = [];
  vi.spyOn(database, 'readTransaction').mockImplementationOnce((work) =>
    readTransaction(async (tx) => {
      counts.push(...(await tx.query(scans)));
      const found = await work(tx);
      counts.push(...(await tx.query(scans)));
      return found;
    }),
  );
  expect(await find(owner, 'seldom')).toEqual([id]);
  expect(counts[1]).toEqual(counts[0]);
});

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** All plan nodes of an executed search. */
async function explain(params: SearchParams): Promise<PlanNode[]> {
  const client = new Client({ connectionString: store.url });
  await client.connect();
  try {
    await client.query(`BEGIN; ${preferIndexes.text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${searchChats.own.text}`,
      valuesOf(searchChats.own, params),
    );
    const flat = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flat)];
    return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => flat(Plan)));
  } finally {
    await client.end();
  }
}
