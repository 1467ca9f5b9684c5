import { rm } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { UsageGroup } from '../../packages/protocol/src/index.ts';
import { startEmbeddedPostgres } from '../../packages/server/src/postgres/index.ts';
import { Database } from '../../packages/server/src/store/database.ts';
import { migrate } from '../../packages/server/src/store/migrate.ts';
import { readSpend } from '../../packages/server/src/store/queries/read-spend.ts';
import { reportUsage } from '../../packages/server/src/store/queries/report-usage.ts';
import type { Statement } from '../../packages/server/src/store/statement.ts';
import { fillBooks, USER } from '../../packages/server/test/support/books.ts';
import { makeTemporaryDirectory } from '../../packages/server/test/support/temporary-directory.ts';

/*
 * How long a report over a year of model calls takes, and the look at what a user has spent that stands before each
 * model call, beside a scan of the whole table.
 */
const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '100000,1000000' },
    rounds: { type: 'string', default: '15' },
  },
});
const ROUNDS = Number(options.rounds);
const SIZES = options.calls.split(',').map(Number);

const RANGES = [
  ['2025-06-02T00:00:00Z', '2025-06-03T00:00:00Z'],
  ['2025-06-01T00:00:00Z', '2025-07-01T00:00:00Z'],
  ['2025-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
] as const;
const SCAN: Statement<unknown> = {
  name: 'scan',
  text: 'SELECT sum(input_tokens + output_tokens), sum(cost_micros) FROM model_calls',
};

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

async function timed(
  database: Database,
  statement: Statement<unknown>,
  values: readonly string[],
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    await database.query(statement, values);
    times.push(performance.now() - start);
  }
  return median(times);
}

/** The ranges of one report, and how the longest compares with reading the table. */
async function reported(
  database: Database,
  statement: Statement<unknown>,
  more: readonly string[],
): Promise<string[]> {
  const times: number[] = [];
  for (const range of RANGES) times.push(await timed(database, statement, [...range, ...more]));
  const scan = await timed(database, SCAN, []);
  return [...times.map((ms) => ms.toFixed(1)), ((times.at(-1) ?? Number.NaN) / scan).toFixed(1)];
}

async function spent(database: Database): Promise<string> {
  return (await timed(database, readSpend, [USER])).toFixed(1);
}

async function measure(calls: number): Promise<string[][]> {
  const dataDir = await makeTemporaryDirectory();
  const server = await startEmbeddedPostgres({ dataDir });
  const size = calls.toLocaleString('en');
  const rows: string[][] = [];
  try {
    await migrate(server.url);
    const client = new Client(server.url);
    await client.connect();
    await fillBooks(client, calls);
    const database = new Database({ url: server.url, connections: 1 });
    for (const group of UsageGroup.options) {
      const own = await reported(database, reportUsage.own[group], [USER]);
      const all = await reported(database, reportUsage.all[group], []);
      rows.push([size, `one user, by ${group}`, ...own], [size, `all users, by ${group}`, ...all]);
    }
    rows.push([size, 'spent this month: no calls', '', await spent(database), '', '']);
    await client.query(`UPDATE model_calls SET created_at = now() WHERE user_id = '${USER}'`);
    await client.query('VACUUM ANALYZE model_calls');
    const most = (calls / 50).toLocaleString('en');
    rows.push([size, `spent this month: ${most} calls`, '', await spent(database), '', '']);
    await client.end();
    await database.close();
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  return rows;
}

const HEAD = ['calls in the books', 'report', 'a day, ms', 'a month, ms', 'the year, ms', '÷ scan'];
console.log(
  `Node ${process.versions.node}, ${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown CPU'}; medians of ${ROUNDS}\n`,
);
console.log(`| ${HEAD.join(' | ')} |\n| ---: | --- | ---: | ---: | ---: | ---: |`);
for (const calls of SIZES) {
  for (const row of await measure(calls)) console.log(`| ${row.join(' | ')} |`);
}
