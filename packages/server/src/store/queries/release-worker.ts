import type { ChatStatus } from '@chatd/protocol';
import { statement } from '../statement.ts';

export interface ReleasedChat {
  readonly id: string;
  readonly owner_id: string;
  readonly status: ChatStatus;
  readonly snapshot_version: number;
}

/** A worker ends: all its chats are free at once, and nobody needs to remember it. */
export const releaseWorker = statement<ReleasedChat>(
  'release-worker',
  `WITH gone AS (DELETE FROM workers WHERE id = $1)
   UPDATE chats SET runner_id = NULL, worker_id = NULL
    WHERE worker_id = $1 AND status IN ('running', 'interrupting')
   RETURNING id, owner_id, status, snapshot_version`,
);
