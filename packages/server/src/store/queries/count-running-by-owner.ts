import { statement } from '../statement.ts';
import { hasLivingOwner } from './lease.ts';

/**
 * Chats that somebody alive runs, by the user they belong to; $1: the lease. Through chats_runnable. Those that only
 * wait for others do not count.
 */
export const countRunningByOwner = statement<{ owner_id: string; count: number }>(
  'count-running-by-owner',
  `SELECT chats.owner_id, count(*) AS count
     FROM chats JOIN workers ON workers.id = chats.worker_id
    WHERE chats.status IN ('running', 'interrupting')
      AND ${hasLivingOwner('$1')}
      AND NOT EXISTS (SELECT FROM resting_chats
                       WHERE resting_chats.chat_id = chats.id AND resting_chats.runner_id = chats.runner_id)
    GROUP BY chats.owner_id`,
);
