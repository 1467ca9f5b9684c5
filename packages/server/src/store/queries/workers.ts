import { statement } from '../statement.ts';

/** Registers a replica and its program. Its worker, if any, has the same id and renews `heartbeat_at`. */
export const registerReplica = statement<
  {
    id: string;
    knows: number;
    program: string;
    host: string;
    lease_ms: number;
  },
  never
>(
  'register-replica',
  `INSERT INTO workers (id, heartbeat_at, knows, program, host, lease_ms)
   VALUES (:id, clock_timestamp(), :knows, :program, :host, :lease_ms)
   ON CONFLICT (id) DO UPDATE
     SET heartbeat_at = excluded.heartbeat_at, knows = excluded.knows, program = excluded.program,
         host = excluded.host, lease_ms = excluded.lease_ms`,
);

export const forgetReplica = statement<{ id: string }, never>(
  'forget-replica',
  `DELETE FROM workers WHERE id = :id`,
);

export interface OlderReplica {
  readonly id: string;
  /** Null: an older program, which did not record it. */
  readonly knows: number | null;
  readonly program: string | null;
  readonly host: string | null;
  readonly silent_seconds: number;
}

/**
 * Living replicas whose programs do not know the migration :version. Rows without a lease count with :lease_ms. Read as
 * JSON, since older schemas have fewer columns.
 */
export const olderReplicas = statement<{ version: number; lease_ms: number }, OlderReplica>(
  'older-replicas',
  `SELECT id, (about ->> 'knows')::int AS knows, about ->> 'program' AS program, about ->> 'host' AS host,
          greatest(0, extract(epoch FROM clock_timestamp() - heartbeat_at))::float8 AS silent_seconds
     FROM workers, to_jsonb(workers) AS about
    WHERE coalesce((about ->> 'knows')::int, 0) < :version::int
      AND greatest(heartbeat_at, pg_postmaster_start_time())
          >= clock_timestamp() - coalesce((about ->> 'lease_ms')::bigint, :lease_ms::bigint) * interval '1 millisecond'
    ORDER BY knows NULLS FIRST, id`,
);

/**
 * Workers that died long ago. Leases count from the restart of PostgreSQL: right after one, the worker may not have
 * renewed its row yet.
 */
export const purgeWorkers = statement<{ limit: number }, { id: string }>(
  'purge-workers',
  `DELETE FROM workers
    WHERE id IN (SELECT id FROM workers
                  WHERE greatest(heartbeat_at, pg_postmaster_start_time()) < now() - interval '1 day'
                  LIMIT :limit
                    FOR UPDATE SKIP LOCKED)
   RETURNING id`,
);
