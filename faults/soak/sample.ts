import { readdir, readFile } from 'node:fs/promises';
import type { RetryingWitness } from './retrying-witness.ts';

/** Metrics of one replica. */
export interface ReplicaSample {
  readonly rssMb: number;
  readonly heapMb: number;
  /** Open file descriptors. */
  readonly handles: number;
  /** Maximum event loop delay since the last sample. */
  readonly lagMs: number;
}

export interface DatabaseSample {
  readonly sizeMb: number;
  readonly connections: number;
  readonly deadRows: number;
  /** Total WAL written. */
  readonly walMb: number;
}

const TIMEOUT_MS = 4000;
const MB = 2 ** 20;

/** Undefined while the replica or the database restarts. */
export async function sampleReplica(
  replica: { readonly pid: number; readonly url: string; readonly isAlive: boolean },
  headers: Readonly<Record<string, string>>,
): Promise<ReplicaSample | undefined> {
  if (!replica.isAlive) return undefined;
  try {
    const [status, handles, metrics] = await Promise.all([
      readFile(`/proc/${replica.pid}/status`, 'utf8'),
      readdir(`/proc/${replica.pid}/fd`),
      fetch(`${replica.url}/metrics`, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
        (response) => (response.ok ? response.text() : undefined),
      ),
    ]);
    if (metrics === undefined) return undefined;
    const metric = (name: string) =>
      Number(
        metrics
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')[1],
      );
    return {
      rssMb: rssOf(status),
      heapMb: metric('chatd_nodejs_heap_size_used_bytes') / MB,
      handles: handles.length,
      lagMs: metric('chatd_event_loop_delay_seconds{kind="max"}') * 1000,
    };
  } catch {
    return undefined;
  }
}

/** Excludes the records of the witness. */
export async function sampleDatabase(witness: RetryingWitness): Promise<DatabaseSample> {
  const [row] = await witness.query<DatabaseSample>(
    `SELECT (pg_database_size(current_database())
             - coalesce((SELECT sum(pg_total_relation_size(oid)) FROM pg_class
                          WHERE relnamespace = 'witness'::regnamespace AND relkind = 'r'), 0))::float8
              / ${MB} AS "sizeMb",
            (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()) AS connections,
            (SELECT coalesce(sum(n_dead_tup), 0)::float8 FROM pg_stat_user_tables
              WHERE schemaname <> 'witness') AS "deadRows",
            pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 / ${MB} AS "walMb"`,
  );
  if (row === undefined) throw new Error('no database statistics');
  return row;
}

export async function ownRssMb(): Promise<number> {
  return rssOf(await readFile('/proc/self/status', 'utf8'));
}

const rssOf = (status: string) => Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
