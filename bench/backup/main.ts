/*
 * `npm run bench:backup`: the time of a backup and of its restore, and the size of the file. Compared with `pg_dump` and
 * `pg_restore` of the same database. Rounds alternate. An external PostgreSQL with fsync.
 */
import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { config } from '@chatd/test-server';
import { findExternalPostgres, startExternalPostgres } from '@chatd/test-server/programs';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { makeBackup, restoreBackup } from '../../packages/server/src/backup/index.ts';
import { migrate } from '../../packages/server/src/store/migrate/migrate.ts';
import { type BackupData, backupReport, type BackupRow } from '../report/backup.ts';
import { conclude } from '../report/conclude.ts';
import { median } from '../report/statistics.ts';
import { postgresVersion } from '../report/versions.ts';
import { deploymentWith, fill } from '../search/fill.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    keep: { type: 'boolean', default: false },
  },
});
const deployment = deploymentWith(Number(values.messages));
const { messages, chats } = deployment;
const rounds = Number(values.rounds);

interface Program {
  readonly name: string;
  backup(url: string, file: string): Promise<void>;
  /** Into a database without tables. */
  restore(url: string, file: string): Promise<void>;
}

const say = (line: string) => console.error(`bench:backup: ${line}`);
const onProgress = () => undefined;
const execute = promisify(execFile);
const directory = await makeTemporaryDirectory();
const bin = (await findExternalPostgres()) ?? '';
const postgres = await startExternalPostgres({
  settings: { fsync: 'on', synchronous_commit: 'on', max_wal_size: '4GB' },
});

const PROGRAMS: readonly Program[] = [
  {
    name: 'chatd',
    backup: async (url, file) =>
      void (await makeBackup(config({ databaseUrl: url, dataDir: directory }), {
        target: createWriteStream(file),
        withWorkspaces: false,
        withSecretKey: false,
        now: new Date(),
        onProgress,
      })),
    restore: async (url, file) =>
      void (await restoreBackup(config({ databaseUrl: url, dataDir: directory }), {
        source: createReadStream(file),
        onProgress,
      })),
  },
  {
    name: 'pg_dump, pg_restore',
    backup: async (url, file) =>
      void (await execute(join(bin, 'pg_dump'), ['--format=custom', `--file=${file}`, url])),
    restore: async (url, file) =>
      void (await execute(join(bin, 'pg_restore'), ['--exit-on-error', `--dbname=${url}`, file])),
  },
];

const admin = new Client({ connectionString: postgres.url });
const urlOf = (database: string) => {
  const url = new URL(postgres.url);
  url.pathname = `/${database}`;
  return url.href;
};
try {
  await admin.connect();
  await migrate(postgres.url);
  say(`writing ${messages.toLocaleString('en')} messages …`);
  await fill(admin, deployment);
  const taken = PROGRAMS.map((program) => ({
    program,
    backups: [] as number[],
    restores: [] as number[],
    megabytes: 0,
  }));
  for (let round = 1; round <= rounds; round += 1) {
    for (const one of taken) {
      const file = join(directory, 'file.backup');
      await admin.query('CHECKPOINT');
      one.backups.push(await seconds(one.program.backup(postgres.url, file)));
      one.megabytes = (await stat(file)).size / 1e6;
      await admin.query('CREATE DATABASE restored');
      one.restores.push(await seconds(one.program.restore(urlOf('restored'), file)));
      await admin.query('DROP DATABASE restored');
      await rm(file);
      const last = `${one.backups.at(-1)?.toFixed(1)} s, ${one.restores.at(-1)?.toFixed(1)} s`;
      say(`round ${round} of ${rounds}, ${one.program.name}: ${last}`);
    }
  }
  const rows = taken.map(({ program, backups, restores, megabytes }): BackupRow => ({
    program: program.name,
    backupSeconds: median(backups),
    restoreSeconds: median(restores),
    megabytes,
  }));
  const { rows: sizes } = await admin.query<{ bytes: string }>(
    'SELECT pg_database_size(current_database()) AS bytes',
  );
  const databaseMegabytes = Number(sizes[0]?.bytes) / 1e6;
  const data: BackupData = { messages, chats, rounds, databaseMegabytes, rows };
  const versions = { PostgreSQL: await postgresVersion(postgres.url) };
  await conclude(backupReport, { data, versions }, values);
} finally {
  await admin.end();
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
}

async function seconds(work: Promise<void>): Promise<number> {
  const start = performance.now();
  await work;
  return (performance.now() - start) / 1000;
}
