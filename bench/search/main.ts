import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../../packages/server/src/postgres/index.ts';
import { indexPending } from '../../packages/server/src/search/indexer.ts';
import { findChats, matchOf } from '../../packages/server/src/search/search-chats.ts';
import { ANY_CHAT } from '../../packages/server/src/store/chat-reads.ts';
import { Database } from '../../packages/server/src/store/database.ts';
import { migrate } from '../../packages/server/src/store/migrate/migrate.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { conclude } from '../report/conclude.ts';
import {
  type SearchData,
  searchReport,
  type SearchRow,
  type SearchSize,
} from '../report/search.ts';
import { quantile } from '../report/statistics.ts';
import { postgresVersion } from '../report/versions.ts';
import { Corpus, randomFrom } from './corpus.ts';
import { deploymentWith, fill, userId } from './fill.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

/*
 * Measures the time of a page of search results with snippets, for common and rare words, and the disk space of the
 * index, in deployments of several sizes. Each has a separate embedded PostgreSQL.
 */
const { values: options } = parseArgs({
  options: {
    messages: { type: 'string', default: '1000000' },
    searches: { type: 'string', default: '300' },
    limit: { type: 'string', default: '50' },
    /** Keeps the databases in this directory and reuses existing ones. */
    data: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});
/** The indexer takes one core. Two share the work, as those of two replicas do. */
const INDEXERS = 2;
const LIMIT = Number(options.limit);
const SEARCHES = Number(options.searches);

type Words = (corpus: Corpus, pick: () => number) => string;

const between =
  (from: number, to: number): Words =>
  ({ words }, pick) =>
    words[Math.floor(from + pick() * (to - from))] ?? '';

const KINDS: Readonly<Record<string, Words>> = {
  'one of the 20 most common words': between(0, 20),
  'a word of average frequency': between(500, 5000),
  'a rare word': between(30_000, 60_000),
  'the first three letters of a word': (corpus, pick) =>
    between(90, 8000)(corpus, pick).slice(0, 3),
  'two common words': (corpus, pick) =>
    `${between(0, 20)(corpus, pick)} ${between(0, 200)(corpus, pick)}`,
  'a phrase of two common words': (corpus, pick) =>
    `"${between(0, 20)(corpus, pick)} ${between(0, 200)(corpus, pick)}"`,
};

async function search(database: Database, ownerId: string, text: string): Promise<number> {
  const filter = { ...ANY_CHAT, ownerId, text, archived: false, after: null, withShared: true };
  const { rows, words } = await findChats(database, { ...filter, limit: LIMIT + 1 });
  for (const row of rows) matchOf(row, words);
  return rows.length;
}

async function measure(
  database: Database,
  users: number,
  kind: string,
  words: Words,
): Promise<SearchRow> {
  const corpus = new Corpus();
  const random = randomFrom(11);
  const times: number[] = [];
  let found = 0;
  for (let count = 0; count < SEARCHES; count += 1) {
    const owner = userId(Math.floor(random() * users));
    const text = words(corpus, random);
    const start = performance.now();
    found += await search(database, owner, text);
    times.push(performance.now() - start);
  }
  return {
    kind,
    chats: found / SEARCHES,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    maxMs: Math.max(...times),
  };
}

async function bytesOf(client: Client, ...tables: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    'SELECT sum(pg_total_relation_size(name::regclass)) AS bytes FROM unnest($1::text[]) AS name',
    [tables],
  );
  return Number(rows[0]?.bytes);
}

function say(words: string): void {
  process.stderr.write(`${words}\n`);
}

async function measureSize(messages: number): Promise<SearchSize> {
  const deployment = deploymentWith(messages);
  const { users } = deployment;
  const directory = options.data ?? (await makeTemporaryDirectory());
  const server = await startEmbeddedPostgres({ dataDir: join(directory, String(messages)) });
  const client = new Client(server.url);
  const database = new Database({ url: server.url, connections: 4 });
  try {
    await migrate(server.url);
    await client.connect();
    versions['PostgreSQL'] = await postgresVersion(server.url);
    const { rowCount } = await client.query('SELECT FROM messages LIMIT 1');
    const isNew = rowCount === 0;
    if (isNew) {
      say(`writing ${messages.toLocaleString('en')} messages …`);
      await fill(client, deployment);
    }
    say('indexing …');
    const start = performance.now();
    await Promise.all(Array.from({ length: INDEXERS }, () => indexPending(database)));
    const seconds = (performance.now() - start) / 1000;
    say(`indexed in ${Math.round(seconds)} s`);
    await client.query('VACUUM ANALYZE search_segments');
    await client.query('CHECKPOINT');
    const rows: SearchRow[] = [];
    for (const [kind, words] of Object.entries(KINDS)) {
      rows.push(await measure(database, users, kind, words));
      say(JSON.stringify(rows.at(-1)));
    }
    return {
      ...deployment,
      rows,
      searchBytes: (await bytesOf(client, 'search_segments', 'search_pending')) / messages,
      messageBytes: (await bytesOf(client, 'messages')) / messages,
      ...(isNew && { indexedPerSecond: messages / seconds }),
    };
  } finally {
    await client.end();
    await database.close();
    await server.stop();
    if (options.data === undefined) await rm(directory, { recursive: true, force: true });
  }
}

const versions: Record<string, string> = {};
const sizes: SearchSize[] = [];
for (const messages of options.messages.split(',')) sizes.push(await measureSize(Number(messages)));
const data: SearchData = { limit: LIMIT, searches: SEARCHES, sizes };
await conclude(searchReport, { data, versions }, options);
