import { statement } from '../statement.ts';

export interface OlderReplica {
  readonly id: string;
  /** Null: a program of before replicas said it. */
  readonly knows: number | null;
  readonly program: string | null;
  readonly host: string | null;
  readonly silent_seconds: number;
}

/**
 * Replicas that live and whose programs do not know the migration $1. A row that says nothing of its lease has one of $2
 * milliseconds. As JSON: the table of an earlier program has fewer columns.
 */
export const olderReplicas = statement<OlderReplica>(
  'older-replicas',
  `SELECT id, (about ->> 'knows')::int AS knows, about ->> 'program' AS program, about ->> 'host' AS host,
          greatest(0, extract(epoch FROM clock_timestamp() - heartbeat_at))::float8 AS silent_seconds
     FROM workers, to_jsonb(workers) AS about
    WHERE coalesce((about ->> 'knows')::int, 0) < $1::int
      AND greatest(heartbeat_at, pg_postmaster_start_time())
          >= clock_timestamp() - coalesce((about ->> 'lease_ms')::bigint, $2::bigint) * interval '1 millisecond'
    ORDER BY knows NULLS FIRST, id`,
);
