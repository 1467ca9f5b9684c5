import { statement } from '../statement.ts';
import { hasNoLivingOwner } from './lease.ts';

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
      AND ${hasNoLivingOwner('$1')}
    ORDER BY chats.active_at
    LIMIT $2`,
);
