import type { Client } from 'pg';
import { Database } from '../../packages/server/src/store/database.ts';
import { historyOfTurn } from '../../packages/server/src/store/queries/messages/history-of-turn.ts';
import { messagesBefore } from '../../packages/server/src/store/queries/messages/read.ts';
import { insertMessages } from '../../packages/server/src/store/queries/messages/write.ts';
import type { Operation } from '../report/partitions.ts';
import { quantile } from '../report/statistics.ts';
import { randomFrom } from '../search/corpus.ts';
import { contents } from './fill.ts';
import { type Layout, leavesOf } from './layout.ts';

type Perform = (database: Database, chatId: string, pick: () => number) => Promise<unknown>;

const CONTENTS = contents();
/** Chats that are written to are the newest ones, as with ids that grow by time. */
const RECENT = 2_000;

const step: Perform = (database, chat_id, pick) => {
  const content = () =>
    JSON.parse(CONTENTS[Math.floor(pick() * CONTENTS.length)] ?? '[]') as unknown;
  const messages = JSON.stringify([
    { role: 'assistant', content: content() },
    { role: 'tool', content: content() },
  ]);
  return database.query(insertMessages, { chat_id, revision: 1, messages: messages as never });
};

/** The statements of the server that use the table most. */
export const OPERATIONS: Readonly<Record<string, { readonly recent: boolean; perform: Perform }>> =
  {
    'insert a step of two messages, recent chats': { recent: true, perform: step },
    'insert a step of two messages, any chat': { recent: false, perform: step },
    'read the last 50 messages of a chat': {
      recent: false,
      perform: (database, chat_id) =>
        database.query(messagesBefore, { chat_id, before_id: null, limit: 50 }),
    },
    'read the history for the next turn': {
      recent: false,
      perform: (database, chat_id) => database.query(historyOfTurn, { chat_id, after_id: 0 }),
    },
  };

export interface Subject {
  readonly layout: Layout;
  readonly database: Database;
}

export function open(url: string, layout: Layout, connections: number): Subject {
  const own = new URL(url);
  own.searchParams.set('options', `-c search_path=${layout.schema},public`);
  return { layout, database: new Database({ url: own.href, connections }) };
}

/** Reads the table and its index, so that no layout has fewer pages in memory than another. */
export async function warm(client: Client, layout: Layout): Promise<void> {
  await client.query('CREATE EXTENSION IF NOT EXISTS pg_prewarm');
  await client.query(
    `SELECT pg_prewarm(indexrelid, 'read'), pg_prewarm(indrelid, 'read')
       FROM pg_index WHERE indrelid = ANY ($1::text[]::regclass[])`,
    [await leavesOf(client, layout)],
  );
}

interface Run {
  readonly seconds: number;
  readonly clients: number;
  readonly seed: number;
  readonly chatIds: readonly string[];
  /** CPU seconds of PostgreSQL so far. */
  readonly cpu: () => number;
  /** Bytes of WAL so far. */
  readonly wal: () => Promise<number>;
}

/** One operation for some seconds, by several clients. */
export async function perform(
  { database }: Subject,
  what: string,
  { seconds, clients, seed, chatIds, cpu, wal }: Run,
): Promise<Operation> {
  const operation = OPERATIONS[what];
  if (operation === undefined) throw new Error(`Unknown operation: ${what}`);
  const random = randomFrom(seed);
  const from = operation.recent ? chatIds.length - RECENT : 0;
  const pickChat = () =>
    chatIds[
      Math.max(0, from) +
        Math.floor(random() * Math.min(chatIds.length, operation.recent ? RECENT : chatIds.length))
    ] ?? '';
  const times: number[] = [];
  const [cpuBefore, walBefore] = [cpu(), await wal()];
  const start = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < start + seconds * 1000) {
        const begun = performance.now();
        await operation.perform(database, pickChat(), random);
        times.push(performance.now() - begun);
      }
    }),
  );
  const elapsed = (performance.now() - start) / 1000;
  return {
    what,
    perSecond: times.length / elapsed,
    cpuMs: ((cpu() - cpuBefore) * 1000) / times.length,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    walBytes: ((await wal()) - walBefore) / times.length,
  };
}

export interface Vacuumed {
  readonly deleteSeconds: number;
  readonly vacuumSeconds: number;
  readonly longestSeconds: number;
}

/** Deletes the oldest tenth of all chats, as retention does, and vacuums each table. */
export async function deleteAndVacuum(
  client: Client,
  layout: Layout,
  chatIds: readonly string[],
): Promise<Vacuumed> {
  const started = performance.now();
  const gone = chatIds.slice(0, Math.floor(chatIds.length / 10));
  for (let first = 0; first < gone.length; first += 1_000) {
    await client.query(`DELETE FROM ${layout.schema}.messages WHERE chat_id = ANY ($1::uuid[])`, [
      gone.slice(first, first + 1_000),
    ]);
  }
  const deleteSeconds = (performance.now() - started) / 1000;
  const times: number[] = [];
  for (const table of await leavesOf(client, layout)) {
    const begun = performance.now();
    await client.query(`VACUUM ${table}`);
    times.push((performance.now() - begun) / 1000);
  }
  return {
    deleteSeconds,
    vacuumSeconds: times.reduce((sum, time) => sum + time, 0),
    longestSeconds: Math.max(...times),
  };
}

export async function bytesOf(
  client: Client,
  layout: Layout,
): Promise<{ readonly tableBytes: number; readonly indexBytes: number }> {
  const { rows } = await client.query<{ table: string; index: string }>(
    `SELECT sum(pg_table_size(name::regclass)) AS "table", sum(pg_indexes_size(name::regclass)) AS "index"
       FROM unnest($1::text[]) AS name`,
    [await leavesOf(client, layout)],
  );
  return { tableBytes: Number(rows[0]?.table), indexBytes: Number(rows[0]?.index) };
}
