import { statement } from '../statement.ts';

/**
 * A replica says which program it is, and that it lives; the heartbeats of its worker say the latter from then on. Its
 * worker, if it has one, goes by the same id.
 */
export const registerReplica = statement<never>(
  'register-replica',
  `INSERT INTO workers (id, heartbeat_at, knows, program, host, lease_ms)
   VALUES ($1, clock_timestamp(), $2, $3, $4, $5)
   ON CONFLICT (id) DO UPDATE
     SET heartbeat_at = excluded.heartbeat_at, knows = excluded.knows, program = excluded.program,
         host = excluded.host, lease_ms = excluded.lease_ms`,
);
