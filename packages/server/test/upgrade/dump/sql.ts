import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The database as statements that any client can send. `pg_dump` must not be older than the server. */
export async function dumpSql(databaseUrl: string): Promise<string> {
  const { stdout } = await run(
    'pg_dump',
    [
      '--no-owner',
      '--no-privileges',
      '--no-comments',
      '--inserts',
      '--rows-per-insert=50',
      `--dbname=${databaseUrl}`,
    ],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  return (
    stdout
      .split('\n')
      // psql commands and comments.
      .filter((line) => !line.startsWith('\\') && !line.startsWith('--'))
      .join('\n')
  );
}
