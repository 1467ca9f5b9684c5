import { rm } from 'node:fs/promises';
import { Client } from 'pg';
import { UsageGroup } from '../../packages/protocol/src/index.ts';
import { startEmbeddedPostgres } from '../../packages/server/src/postgres/index.ts';
import { Database } from '../../packages/server/src/store/database.ts';
import { migrate } from '../../packages/server/src/store/migrate/migrate.ts';
import { readSpend, reportUsage } from '../../packages/server/src/store/queries/model-calls.ts';
import { statement } from '../../packages/server/src/store/statement.ts';
import { insertModelCalls, MODEL_CALLS_USER } from '@chatd/test-server/database';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { conclude } from '../report/conclude.ts';
import { median } from '../report/statistics.ts';
import { type UsageData, usageReport, type UsageRow } from '../report/usage.ts';
import { postgresVersion } from '../report/versions.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

/*
 * The time of usage reports over a year of model calls, and of the spend check before each model call, compared with a
 * full table scan.
 */
const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '100000,1000000' },
    rounds: { type: 'string', default: '15' },
    keep: { type: 'boolean', default: false },
  },
});
const ROUNDS = Number(options.rounds);
const SIZES = options.calls.split(',').map(Number);

const range = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) });
const RANGES = [
  range('2025-06-02T00:00:00Z', '2025-06-03T00:00:00Z'),
  range('2025-06-01T00:00:00Z', '2025-07-01T00:00:00Z'),
  range('2025-01-01T00:00:00Z', '2026-01-02T00:00:00Z'),
];
const scan = statement<null, object>(
  'scan',
  'SELECT sum(input_tokens + output_tokens), sum(cost_micros) FROM model_calls',
);

async function timed(query: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    await query();
    times.push(performance.now() - start);
  }
  return median(times);
}

/** Times of one report for each range, and the ratio of the longest to a table scan. */
async function reported(
  database: Database,
  report: (range: (typeof RANGES)[number]) => Promise<unknown>,
): Promise<Omit<UsageRow, 'calls' | 'report'>> {
  const times: number[] = [];
  for (const range of RANGES) times.push(await timed(() => report(range)));
  const [dayMs = Number.NaN, monthMs = Number.NaN, yearMs = Number.NaN] = times;
  return { dayMs, monthMs, yearMs, toScan: yearMs / (await timed(() => database.query(scan))) };
}

async function spent(database: Database): Promise<Omit<UsageRow, 'calls' | 'report'>> {
  const monthMs = await timed(() => database.query(readSpend, { user_id: MODEL_CALLS_USER }));
  return { dayMs: null, monthMs, yearMs: null, toScan: null };
}

async function measure(calls: number): Promise<{ rows: UsageRow[]; postgres: string }> {
  const dataDir = await makeTemporaryDirectory();
  const server = await startEmbeddedPostgres({ dataDir });
  const rows: UsageRow[] = [];
  try {
    await migrate(server.url);
    const client = new Client(server.url);
    await client.connect();
    say(`writing ${calls.toLocaleString('en')} model calls …`);
    await insertModelCalls(client, calls);
    const database = new Database({ url: server.url, connections: 1 });
    for (const group of UsageGroup.options) {
      say(`${calls.toLocaleString('en')} calls, by ${group} …`);
      const own = await reported(database, (range) =>
        database.query(reportUsage.own[group], { ...range, user_id: MODEL_CALLS_USER }),
      );
      const all = await reported(database, (range) =>
        database.query(reportUsage.all[group], range),
      );
      rows.push({ calls, report: `one user, by ${group}`, ...own });
      rows.push({ calls, report: `all users, by ${group}`, ...all });
    }
    rows.push({ calls, report: 'spend check: no calls', ...(await spent(database)) });
    await client.query(
      `UPDATE model_calls SET created_at = now() WHERE user_id = '${MODEL_CALLS_USER}'`,
    );
    await client.query('VACUUM ANALYZE model_calls');
    const most = (calls / 50).toLocaleString('en');
    rows.push({ calls, report: `spend check: ${most} calls`, ...(await spent(database)) });
    await client.end();
    await database.close();
    return { rows, postgres: await postgresVersion(server.url) };
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function say(words: string): void {
  process.stderr.write(`${words}\n`);
}

const rows: UsageRow[] = [];
const versions: Record<string, string> = {};
for (const calls of SIZES) {
  const measured = await measure(calls);
  rows.push(...measured.rows);
  versions['PostgreSQL'] = measured.postgres;
}
const data: UsageData = { rounds: ROUNDS, rows };
await conclude(usageReport, { data, versions }, options);
