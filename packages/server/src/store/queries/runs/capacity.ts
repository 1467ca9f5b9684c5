import { ADVISORY_LOCKS } from '../../../postgres/advisory-locks.ts';
import { statement } from '../../statement.ts';
import { hasLivingOwner, hasNoLivingOwner } from './lease.ts';

/** Serializes counting and acquiring, so that workers cannot exceed the limits together. */
export const lockCapacity = statement<null, never>(
  'lock-capacity',
  `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.capacity.join(', ')})`,
);

export interface RunnableChat {
  readonly id: string;
  readonly owner_id: string;
  readonly interrupting: boolean;
  readonly queued_for_capacity: boolean;
}

/** Whether any chat should run and has no living owner, through chats_runnable. */
export const hasRunnableChats = statement<{ lease_ms: number }, { found: boolean }>(
  'has-runnable-chats',
  `SELECT EXISTS (SELECT FROM chats LEFT JOIN workers ON workers.id = chats.worker_id
                   WHERE chats.status IN ('running', 'interrupting')
                     AND ${hasNoLivingOwner(':lease_ms')}) AS found`,
);

/**
 * Chats that should run and have no living owner: the oldest of each user, then the second oldest of each, and so on.
 *
 * The recursion jumps from user to user in chats_runnable_by_owner, so that a user with many chats does not slow down
 * the others.
 */
export const runnableChats = statement<
  { lease_ms: number; limit: number; limit_per_user: number },
  RunnableChat
>(
  'runnable-chats',
  `WITH RECURSIVE owners AS (
     (SELECT owner_id FROM chats WHERE status IN ('running', 'interrupting') ORDER BY owner_id LIMIT 1)
     UNION ALL
     SELECT (SELECT chats.owner_id FROM chats
              WHERE chats.status IN ('running', 'interrupting') AND chats.owner_id > owners.owner_id
              ORDER BY chats.owner_id LIMIT 1)
       FROM owners
      WHERE owners.owner_id IS NOT NULL
   )
   SELECT waiting.id, owners.owner_id, waiting.interrupting, waiting.queued_for_capacity
     FROM owners
    CROSS JOIN LATERAL (
            SELECT oldest.*, row_number() OVER (ORDER BY oldest.active_at) AS turn
              FROM (SELECT chats.id, chats.active_at, chats.status = 'interrupting' AS interrupting, chats.queued_for_capacity
                      FROM chats LEFT JOIN workers ON workers.id = chats.worker_id
                     WHERE chats.owner_id = owners.owner_id
                       AND chats.status IN ('running', 'interrupting')
                       AND ${hasNoLivingOwner(':lease_ms')}
                     ORDER BY chats.active_at
                     LIMIT :limit_per_user) AS oldest
          ) AS waiting
    ORDER BY waiting.turn, waiting.active_at
    LIMIT :limit`,
);

/** Running chats by owner, through chats_runnable. Chats that only wait for subagents do not count. */
export const countRunningByOwner = statement<
  { lease_ms: number },
  { owner_id: string; count: number }
>(
  'count-running-by-owner',
  `SELECT chats.owner_id, count(*) AS count
     FROM chats JOIN workers ON workers.id = chats.worker_id
    WHERE chats.status IN ('running', 'interrupting')
      AND ${hasLivingOwner(':lease_ms')}
      AND NOT EXISTS (SELECT FROM resting_chats
                       WHERE resting_chats.chat_id = chats.id AND resting_chats.runner_id = chats.runner_id)
    GROUP BY chats.owner_id`,
);
