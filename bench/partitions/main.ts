/*
 * `npm run bench:partitions`: the table of messages without partitions and with hash partitions by chat. Rounds of the
 * layouts alternate, so that other load on the machine meets all of them. An external PostgreSQL with fsync.
 */
import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { startExternalPostgres } from '@chatd/test-server/programs';
import { migrate } from '../../packages/server/src/store/migrate/migrate.ts';
import { conclude } from '../report/conclude.ts';
import { type LayoutResult, type Operation, partitionsReport } from '../report/partitions.ts';
import { median } from '../report/statistics.ts';
import { postgresVersion } from '../report/versions.ts';
import { usageOf } from '../server/usage.ts';
import { fill, MESSAGES_PER_CHAT, prepare, readFills, storeFill } from './fill.ts';
import { createTable, createTriggers, layoutOf } from './layout.ts';
import { bytesOf, deleteAndVacuum, open, OPERATIONS, perform } from './measure.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    partitions: { type: 'string', default: '1,16,64' },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '5' },
    clients: { type: 'string', default: '8' },
    /** Deletes and vacuums nothing. */
    'skip-vacuum': { type: 'boolean', default: false },
    /** A database that an earlier run has filled, and which stays. */
    database: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});
const rows = Number(values.rows);
const rounds = Number(values.rounds);
const clients = Number(values.clients);
const seconds = Number(values.seconds);
const layouts = values.partitions.split(',').map(Number).map(layoutOf);

const say = (line: string) => console.error(`bench:partitions: ${line}`);
const filledBefore = values.database !== undefined;
const started = filledBefore
  ? undefined
  : await startExternalPostgres({
      settings: {
        fsync: 'on',
        synchronous_commit: 'on',
        shared_buffers: '1GB',
        max_wal_size: '8GB',
        // It would run at a different time for each layout.
        autovacuum: 'off',
      },
    });
const url = values.database ?? started?.url ?? '';
const client = new Client({ connectionString: url });
let serverPid = started?.pid ?? 0;
const cpu = () => usageOf([serverPid]).cpuSeconds;
const wal = async () => {
  const found = await client.query<{ bytes: string }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS bytes`,
  );
  return Number(found.rows[0]?.bytes);
};

try {
  if (!filledBefore) await migrate(url);
  await client.connect();
  if (filledBefore) serverPid = await postmasterOf(client);
  else await prepare(client, Math.ceil(rows / MESSAGES_PER_CHAT));
  const ids = await client.query<{ id: string }>('SELECT id FROM chats ORDER BY id');
  const chatIds = ids.rows.map(({ id }) => id);
  const filled = filledBefore ? await readFills(client) : new Map<string, number[]>();
  for (const layout of filledBefore ? [] : layouts) {
    await createTable(client, layout);
    const speeds = await fill(client, layout, rows);
    filled.set(layout.schema, speeds);
    await storeFill(client, layout, speeds);
    say(`${layout.schema}: ${Math.round(median(speeds))} rows per second`);
    await createTriggers(client, layout);
    await client.query(`VACUUM (ANALYZE, FREEZE) ${layout.schema}.messages`);
    await client.query('CHECKPOINT');
  }
  const subjects = layouts.map((layout) => open(url, layout, clients));
  const sizes = new Map<string, Awaited<ReturnType<typeof bytesOf>>>();
  for (const { layout } of subjects) sizes.set(layout.schema, await bytesOf(client, layout));
  const measured: { readonly schema: string; readonly done: Operation }[] = [];
  for (const what of Object.keys(OPERATIONS)) {
    for (let round = 0; round < rounds; round += 1) {
      for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
        await client.query('TRUNCATE search_pending');
        await client.query('CHECKPOINT');
        const run = { seconds, clients, seed: round + 1, chatIds, cpu, wal };
        const done = await perform(subject, what, run);
        measured.push({ schema: subject.layout.schema, done });
        say(`${subject.layout.schema}: ${JSON.stringify(done)}`);
      }
    }
  }
  for (const { database } of subjects) await database.close();
  const results: LayoutResult[] = [];
  for (const layout of layouts) {
    const { schema, partitions } = layout;
    const own = measured.filter((one) => one.schema === schema).map(({ done }) => done);
    const vacuumed = values['skip-vacuum']
      ? undefined
      : await deleteAndVacuum(client, layout, chatIds);
    say(`${schema}: ${JSON.stringify(vacuumed)}`);
    results.push({
      partitions,
      fillPerSecond: filled.get(schema) ?? [],
      ...(sizes.get(schema) ?? { tableBytes: Number.NaN, indexBytes: Number.NaN }),
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
  await started?.stop();
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

/** The process whose children are the processes of the server, found through a session of this client. */
async function postmasterOf(session: Client): Promise<number> {
  const found = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const stat = await readFile(`/proc/${found.rows[0]?.pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
