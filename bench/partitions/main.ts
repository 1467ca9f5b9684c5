/*
 * `npm run bench:partitions`: the table of messages without partitions and with hash partitions by chat. Rounds of the
 * layouts alternate, so that other load on the machine meets all of them. Before each round, its table is read into the
 * page cache, which the tables of all layouts together may exceed. An external PostgreSQL with fsync.
 */
import { Client } from 'pg';
import { startExternalPostgres } from '@chatd/test-server/programs';
import { migrate } from '../../packages/server/src/store/migrate/migrate.ts';
import { conclude } from '../report/conclude.ts';
import { type LayoutResult, type Operation, partitionsReport } from '../report/partitions.ts';
import { median } from '../report/statistics.ts';
import { postgresVersion } from '../report/versions.ts';
import { usageOf } from '../server/usage.ts';
import { fill, MESSAGES_PER_CHAT, prepare } from './fill.ts';
import { createTable, createTriggers, type Layout, layoutOf } from './layout.ts';
import {
  bytesOf,
  deleteAndVacuum,
  open,
  OPERATIONS,
  perform,
  type Subject,
  warm,
} from './measure.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    partitions: { type: 'string', default: '1,16,64' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '8' },
    keep: { type: 'boolean', default: false },
  },
});
const rows = Number(values.rows);
const rounds = Number(values.rounds);
const clients = Number(values.clients);
const seconds = Number(values.seconds);
const layouts = values.partitions.split(',').map(Number).map(layoutOf);

interface Filled {
  readonly filled: Pick<LayoutResult, 'fillPerSecond' | 'tableBytes' | 'indexBytes'>;
}

const say = (line: string) => console.error(`bench:partitions: ${line}`);
const postgres = await startExternalPostgres({
  settings: {
    fsync: 'on',
    synchronous_commit: 'on',
    shared_buffers: '1GB',
    max_wal_size: '8GB',
    // It would run at a different time for each layout.
    autovacuum: 'off',
  },
});
const { url } = postgres;
const client = new Client({ connectionString: url });
const cpu = () => usageOf([postgres.pid]).cpuSeconds;
const wal = async () => {
  const found = await client.query<{ bytes: string }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS bytes`,
  );
  return Number(found.rows[0]?.bytes);
};

try {
  await migrate(url);
  await client.connect();
  await prepare(client, Math.ceil(rows / MESSAGES_PER_CHAT));
  const ids = await client.query<{ id: string }>('SELECT id FROM chats ORDER BY id');
  const chatIds = ids.rows.map(({ id }) => id);
  const subjects: (Subject & Filled)[] = [];
  for (const layout of layouts) {
    await createTable(client, layout);
    const fillPerSecond = await fill(client, layout, rows);
    say(`${layout.schema}: ${Math.round(median(fillPerSecond))} rows per second`);
    await createTriggers(client, layout);
    await client.query(`VACUUM (ANALYZE, FREEZE) ${layout.schema}.messages`);
    await client.query('CHECKPOINT');
    const bytes = await bytesOf(client, layout);
    subjects.push({ ...open(url, layout, clients), filled: { fillPerSecond, ...bytes } });
  }
  const measured: { readonly layout: Layout; readonly done: Operation }[] = [];
  for (const what of Object.keys(OPERATIONS)) {
    for (let round = 0; round < rounds; round += 1) {
      for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
        const { layout } = subject;
        await client.query('TRUNCATE search_pending');
        await client.query('CHECKPOINT');
        await warm(client, layout);
        const run = { seconds, clients, seed: round + 1, chatIds, cpu, wal };
        const done = await perform(subject, what, run);
        measured.push({ layout, done });
        say(`${layout.schema}: ${JSON.stringify(done)}`);
      }
    }
  }
  for (const { database } of subjects) await database.close();
  const results: LayoutResult[] = [];
  for (const { layout, filled } of subjects) {
    const own = measured.filter((one) => one.layout === layout).map(({ done }) => done);
    const vacuumed = await deleteAndVacuum(client, layout, chatIds);
    say(`${layout.schema}: ${JSON.stringify(vacuumed)}`);
    results.push({
      partitions: layout.partitions,
      ...filled,
      ...vacuumed,
      operations: Object.keys(OPERATIONS).map((what) =>
        medianOf(
          what,
          own.filter((done) => done.what === what),
        ),
      ),
    });
  }
  const versions = { PostgreSQL: await postgresVersion(url) };
  const data = { rows, chats: chatIds.length, clients, rounds, seconds, layouts: results };
  await conclude(partitionsReport, { data, versions }, values);
} finally {
  await client.end();
  await postgres.stop();
}

function medianOf(what: string, runs: readonly Operation[]): Operation {
  const of = (value: (run: Operation) => number) => median(runs.map(value));
  return {
    what,
    perSecond: of(({ perSecond }) => perSecond),
    cpuMs: of(({ cpuMs }) => cpuMs),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    walBytes: of(({ walBytes }) => walBytes),
  };
}
