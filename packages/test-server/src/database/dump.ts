import { Pool, type QueryResult } from 'pg';

/** Replicas update this table all the time, so a dump has only their ids. */
const HEARTBEATS = 'workers';

/** Every server indexes messages in the background, so a dump excludes these tables. */
const SEARCH_INDEX = new Set(['search_segments', 'search_pending']);

/** Every row of every table, as text. Two dumps are equal if and only if nothing has changed. */
export async function dump(url: string, except: readonly string[] = []): Promise<string> {
  const pool = poolOf(url);
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  const names = tables
    .map(({ name }) => name)
    .filter((name) => !except.includes(name) && !SEARCH_INDEX.has(name));
  const selects = names.map(
    (name) => `SELECT ${name === HEARTBEATS ? 'id' : 't'}::text AS row FROM "${name}" t ORDER BY 1`,
  );
  // Several statements in one request return several results.
  const results: (QueryResult<{ row: string }> | undefined)[] = [
    await pool.query<{ row: string }>(selects.join(';')),
  ].flat();
  return names
    .map((name, index) => `# ${name}\n${results[index]?.rows.map(({ row }) => row).join('\n')}\n`)
    .join('');
}

const pools = new Map<string, Pool>();

/** One connection per database is kept, because opening one takes longer than a dump. */
function poolOf(url: string): Pool {
  const existing = pools.get(url);
  if (existing !== undefined) return existing;
  const pool = new Pool({
    connectionString: url,
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  });
  // The server has stopped or the database was dropped. The pool reconnects when it is used again.
  pool.on('error', () => undefined);
  pools.set(url, pool);
  return pool;
}
