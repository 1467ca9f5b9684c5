import { statement } from '../statement.ts';

export interface RunnableChat {
  readonly id: string;
  readonly owner_id: string;
  readonly interrupting: boolean;
  readonly queued_for_capacity: boolean;
}

/** Chats that should run and have no living owner, oldest activity first, through chats_runnable; $1: the lease. */
export const runnableChats = statement<RunnableChat>(
  'runnable-chats',
  `SELECT chats.id, chats.owner_id, chats.status = 'interrupting' AS interrupting, chats.queued_for_capacity
     FROM chats LEFT JOIN workers ON workers.id = chats.worker_id
    WHERE chats.status IN ('running', 'interrupting')
      AND (chats.runner_id IS NULL OR workers.id IS NULL
           OR greatest(workers.heartbeat_at, pg_postmaster_start_time())
              < clock_timestamp() - $1::bigint * interval '1 millisecond')
    ORDER BY chats.active_at
    LIMIT $2`,
);
