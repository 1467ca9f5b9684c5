import { statement } from '../statement.ts';

/**
 * Workers that died long ago. Leases count from the restart of PostgreSQL: right after one, a row that looks
 * dead may be a worker that has not yet come back.
 */
export const purgeWorkers = statement<{ id: string }>(
  'purge-workers',
  `DELETE FROM workers
    WHERE id IN (SELECT id FROM workers
                  WHERE greatest(heartbeat_at, pg_postmaster_start_time()) < now() - interval '1 day'
                  LIMIT $1
                    FOR UPDATE SKIP LOCKED)
   RETURNING id`,
);
