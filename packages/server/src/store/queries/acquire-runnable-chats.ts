import type { ChatRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';
import { CHAT_COLUMNS } from './chat-columns.ts';
import { COUNT_DEATH, hasNoLivingOwner, isNotPinnedElsewhere } from './lease.ts';

/**
 * Chats that should run and have no living owner, through the partial index chats_runnable: the oldest of each user,
 * then the second oldest of each, and so on. A lease lives as long as its worker's heartbeat is younger than $3 milliseconds by the
 * database's clock, and counts from the restart of PostgreSQL: an outage expires nobody.
 *
 * The candidates are read before the lock, and the lock insists on the same runner: a chat that another worker
 * took in between fails the comparison with its old row and is left alone.
 */
export const acquireRunnableChats = statement<ChatRow>(
  'acquire-runnable-chats',
  `WITH candidate AS MATERIALIZED (
     SELECT chats.id, chats.runner_id, chats.active_at,
            row_number() OVER (PARTITION BY chats.owner_id ORDER BY chats.active_at) AS turn
       FROM chats LEFT JOIN workers ON workers.id = chats.worker_id
      WHERE chats.status IN ('running', 'interrupting')
        AND ${hasNoLivingOwner('$3')}
        AND ${isNotPinnedElsewhere('$1', '$3')}
   ), locked AS (
     SELECT chats.id
       FROM chats JOIN candidate ON candidate.id = chats.id
      WHERE chats.runner_id IS NOT DISTINCT FROM candidate.runner_id
        AND chats.status IN ('running', 'interrupting')
      ORDER BY candidate.turn, candidate.active_at
      LIMIT $2
        FOR NO KEY UPDATE OF chats SKIP LOCKED
   )
   UPDATE chats
      SET runner_id = gen_random_uuid(), worker_id = $1,
          ${COUNT_DEATH}
     FROM locked
    WHERE chats.id = locked.id
   RETURNING ${CHAT_COLUMNS}`,
);
