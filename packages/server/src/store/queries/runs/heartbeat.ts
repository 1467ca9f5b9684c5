import type { ChatStatus } from '@chatd/protocol';
import { statement } from '../../statement.ts';

export interface OwnedChat {
  readonly id: string;
  readonly runner_id: string;
  readonly status: ChatStatus;
  readonly snapshot_version: number;
}

/** Renews the lease of a worker and returns its chats. */
export const heartbeat = statement<{ worker_id: string }, OwnedChat>(
  'heartbeat',
  `WITH beat AS (
     INSERT INTO workers (id, heartbeat_at) VALUES (:worker_id, clock_timestamp())
     ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at
   )
   SELECT id, runner_id, status, snapshot_version
     FROM chats
    WHERE worker_id = :worker_id AND status IN ('running', 'interrupting')`,
);
