import { statement } from '../statement.ts';

/** Renews the lease of a worker on all its chats, and tells which are still its own. */
export const heartbeat = statement<{ id: string; runner_id: string }>(
  'heartbeat',
  `WITH beat AS (
     INSERT INTO workers (id, heartbeat_at) VALUES ($1, clock_timestamp())
     ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at
   )
   SELECT id, runner_id
     FROM chats
    WHERE worker_id = $1 AND status IN ('running', 'interrupting')`,
);
