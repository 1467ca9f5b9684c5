import { readFile, rm } from 'node:fs/promises';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../../packages/server/src/postgres/index.ts';
import { Database } from '../../packages/server/src/store/database.ts';
import { migrate } from '../../packages/server/src/store/migrate/migrate.ts';
import { dueTriggers } from '../../packages/server/src/store/queries/triggers/triggers.ts';
import { onlyRow, statement } from '../../packages/server/src/store/statement.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { conclude } from '../report/conclude.ts';
import { type SchedulesData, type SchedulesRow, schedulesReport } from '../report/schedules.ts';
import { postgresVersion } from '../report/versions.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

/* The cost of a tick of the scheduler while no schedule is due: one statement, in the server and in PostgreSQL. */
const { values: options } = parseArgs({
  options: {
    schedules: { type: 'string', default: '0,10000,100000' },
    ticks: { type: 'string', default: '2000' },
    keep: { type: 'boolean', default: false },
  },
});
const TICKS = Number(options.ticks);
const SIZES = options.schedules.split(',').map(Number);
const OWNER = '00000000-0000-7000-8000-000000000001';
/** In ticks per second, as Linux counts them. */
const CLOCK_HZ = 100;

const backend = statement<null, { pid: number }>('backend', 'SELECT pg_backend_pid() AS pid');

/** CPU time of this process and of the process of PostgreSQL that runs its statements. */
async function cpuMs(pid: number): Promise<number> {
  const { user, system } = process.cpuUsage();
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  const ticks = Number(fields[11]) + Number(fields[12]);
  return (user + system) / 1000 + (ticks / CLOCK_HZ) * 1000;
}

async function measure(url: string, schedules: number): Promise<SchedulesRow> {
  const client = new Client(url);
  await client.connect();
  await client.query(`DELETE FROM triggers`);
  await client.query(
    `INSERT INTO triggers (id, owner_id, name, kind, enabled, cron, timezone, missed, next_fire_at, prompt, chat, concurrency)
     SELECT gen_random_uuid(), $1, n::text, 'schedule', true, '0 3 * * *', 'UTC', 'skip', now() + interval '1 day' + n * interval '1 s',
            'Update the dependencies.', '{}', 'queue' FROM generate_series(1, $2::int) AS n`,
    [OWNER, schedules],
  );
  await client.query('VACUUM ANALYZE triggers');
  await client.end();
  const database = new Database({ url, connections: 1 });
  const { pid } = onlyRow(await database.query(backend));
  const tick = () => database.query(dueTriggers, { limit: 100, overdrawn: [] });
  for (let warmup = 0; warmup < 50; warmup += 1) await tick();
  const before = await cpuMs(pid);
  for (let count = 0; count < TICKS; count += 1) await tick();
  const cpu = ((await cpuMs(pid)) - before) / TICKS;
  await database.close();
  return { schedules, cpuMs: cpu };
}

const dataDir = await makeTemporaryDirectory();
const server = await startEmbeddedPostgres({ dataDir });
try {
  await migrate(server.url);
  const client = new Client(server.url);
  await client.connect();
  await client.query(`INSERT INTO users (id, username, role) VALUES ($1, 'bench', 'member')`, [
    OWNER,
  ]);
  await client.end();
  const rows: SchedulesRow[] = [];
  for (const schedules of SIZES) rows.push(await measure(server.url, schedules));
  const data: SchedulesData = { ticks: TICKS, rows };
  const versions = { PostgreSQL: await postgresVersion(server.url) };
  await conclude(schedulesReport, { data, versions }, options);
} finally {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}
