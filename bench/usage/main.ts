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

const RANGES = {
  'a day': ['2025-06-02T00:00:00Z', '2025-06-03T00:00:00Z'],
  'a month': ['2025-06-01T00:00:00Z', '2025-07-01T00:00:00Z'],
  'the year': ['2025-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
} as const;
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
): Promise<string> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    await database.query(statement, values);
    times.push(performance.now() - start);
  }
  return median(times).toFixed(1);
}

async function measure(calls: number): Promise<string[][]> {
  const dataDir = await makeTemporaryDirectory();
  const server = await startEmbeddedPostgres({ dataDir });
  const rows: string[][] = [];
  try {
    await migrate(server.url);
    const client = new Client(server.url);
    await client.connect();
    await fillBooks(client, calls);
    await client.end();
    const database = new Database({ url: server.url, connections: 1 });
    const size = calls.toLocaleString('en');
    const add = (what: string, range: string, ms: string) => rows.push([size, what, range, ms]);
    for (const group of UsageGroup.options) {
      for (const [range, values] of Object.entries(RANGES)) {
        const own = await timed(database, reportUsage.own[group], [...values, USER]);
        add(`one user, by ${group}`, range, own);
        add(`all users, by ${group}`, range, await timed(database, reportUsage.all[group], values));
      }
    }
    add('what a user has spent', 'this month', await timed(database, readSpend, [USER]));
    // The same with all of the user's calls in this month: the most that the look before a call can cost.
    await database.query({
      name: 'now',
      text: `UPDATE model_calls SET created_at = now() WHERE user_id = '${USER}'`,
    });
    await database.query({ name: 'vacuum', text: 'VACUUM ANALYZE model_calls' });
    const most = (calls / 50).toLocaleString('en');
    add(
      `what a user has spent, ${most} calls`,
      'this month',
      await timed(database, readSpend, [USER]),
    );
    add('a scan of the table', 'the year', await timed(database, SCAN, []));
    await database.close();
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  return rows;
}

console.log(
  `Node ${process.versions.node}, ${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown CPU'}; medians of ${ROUNDS}`,
);
console.log('\n| calls in the books | report | range | ms |\n| ---: | --- | --- | ---: |');
for (const calls of SIZES) {
  for (const row of await measure(calls)) console.log(`| ${row.join(' | ')} |`);
}
