import type { ChatRow } from '../../../chat/row.ts';
import { statement } from '../../statement.ts';
import { CHAT_COLUMNS } from '../chats/columns.ts';
import { COUNT_DEATH, hasNoLivingOwner, isNotPinnedElsewhere } from './lease.ts';

/**
 * Chats that should run and have no living owner, through the partial index chats_runnable: the oldest of each user,
 * then the second oldest of each, and so on.
 *
 * Candidates are read before they are locked, so the lock compares the runner: a chat that another worker took in
 * between is skipped.
 */
export const acquireRunnableChats = statement<
  { worker_id: string; limit: number; lease_ms: number },
  ChatRow
>(
  'acquire-runnable-chats',
  `WITH candidate AS MATERIALIZED (
     SELECT chats.id, chats.runner_id, chats.active_at,
            row_number() OVER (PARTITION BY chats.owner_id ORDER BY chats.active_at) AS turn
       FROM chats LEFT JOIN workers ON workers.id = chats.worker_id
      WHERE chats.status IN ('running', 'interrupting')
        AND ${hasNoLivingOwner(':lease_ms')}
        AND ${isNotPinnedElsewhere(':worker_id', ':lease_ms')}
   ), locked AS (
     SELECT chats.id
       FROM chats JOIN candidate ON candidate.id = chats.id
      WHERE chats.runner_id IS NOT DISTINCT FROM candidate.runner_id
        AND chats.status IN ('running', 'interrupting')
      ORDER BY candidate.turn, candidate.active_at
      LIMIT :limit
        FOR NO KEY UPDATE OF chats SKIP LOCKED
   )
   UPDATE chats
      SET runner_id = gen_random_uuid(), worker_id = :worker_id,
          ${COUNT_DEATH}
     FROM locked
    WHERE chats.id = locked.id
   RETURNING ${CHAT_COLUMNS}`,
);

export const NAMED_WITHOUT_OWNER = `
     SELECT chats.id, chats.runner_id, chats.owner_id
       FROM chats LEFT JOIN workers ON workers.id = chats.worker_id
      WHERE chats.id = ANY (:chat_ids::uuid[])
        AND chats.status IN ('running', 'interrupting')
        AND ${hasNoLivingOwner(':lease_ms')}
        AND ${isNotPinnedElsewhere(':worker_id', ':lease_ms')}`;

/**
 * Of these chats, those that should run and have no living owner. Waits for locked chats instead of skipping them,
 * since a chat with many writers is locked much of the time. Locks in the order of ids to avoid deadlocks. Compares the
 * runner as acquire-runnable-chats does.
 */
export const acquireNamedChats = statement<
  { worker_id: string; chat_ids: readonly string[]; lease_ms: number },
  ChatRow
>(
  'acquire-named-chats',
  `WITH candidate AS MATERIALIZED (${NAMED_WITHOUT_OWNER}),
   locked AS (
     SELECT chats.id
       FROM chats JOIN candidate ON candidate.id = chats.id
      WHERE chats.runner_id IS NOT DISTINCT FROM candidate.runner_id
        AND chats.status IN ('running', 'interrupting')
      ORDER BY chats.id
        FOR NO KEY UPDATE OF chats
   )
   UPDATE chats
      SET runner_id = gen_random_uuid(), worker_id = :worker_id,
          ${COUNT_DEATH}
     FROM locked
    WHERE chats.id = locked.id
   RETURNING ${CHAT_COLUMNS}`,
);
