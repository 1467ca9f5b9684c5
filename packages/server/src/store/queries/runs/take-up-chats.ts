import type { ApprovalRule } from '@chatd/protocol';
import type { ChatRow } from '../../../chat/row.ts';
import { statement } from '../../statement.ts';
import { CHAT_COLUMNS } from '../chats/columns.ts';
import { NAMED_WITHOUT_OWNER } from './acquire.ts';
import { COUNT_DEATH } from './lease.ts';

export type TakenUpRow = ChatRow & {
  readonly begun: boolean;
  readonly waiting_since: Date;
  readonly approvals: readonly ApprovalRule[] | null;
};

/** Always at least one row. With `id` null it stands for no chat. */
export type TakeUpRow = (TakenUpRow | { readonly id: null }) & {
  /** Chats that were left because their user has too many active ones. */
  readonly held_back: number;
};

/**
 * Acquires, and begins the first attempt of chats whose next step can only be to ask the model: nothing is open, nothing
 * was tried yet, no summary is wanted. With it comes what a turn begins with, so that nothing else need be read.
 *
 * :limit_per_user: chats of one user that may run at once; null: no limit. A user with more active chats than that, running or
 * waiting, gets none here. Whoever is within the limit by this count is within it by any, whatever other workers acquire
 * at the same time, so that no lock is needed. Through chats_runnable_by_owner, and never more than :limit_per_user + 1 rows of it.
 */
export const takeUpChats = statement<
  {
    worker_id: string;
    chat_ids: readonly string[];
    lease_ms: number;
    limit_per_user: number | null;
  },
  TakeUpRow
>(
  'take-up-chats',
  `WITH candidate AS MATERIALIZED (${NAMED_WITHOUT_OWNER}),
   crowded AS MATERIALIZED (
     SELECT owners.owner_id
       FROM (SELECT DISTINCT owner_id FROM candidate) AS owners
      WHERE :limit_per_user::int IS NOT NULL
        AND (SELECT count(*)
               FROM (SELECT FROM chats
                      WHERE chats.owner_id = owners.owner_id AND chats.status IN ('running', 'interrupting')
                      LIMIT :limit_per_user::int + 1) AS active) > :limit_per_user::int
   ),
   locked AS (
     SELECT chats.id, chats.updated_at,
            (chats.status = 'running' AND chats.attempt = 0 AND chats.open_calls = '[]'
             AND NOT chats.compaction_requested AND chats.retry IS NULL) AS begins
       FROM chats JOIN candidate ON candidate.id = chats.id
      WHERE chats.runner_id IS NOT DISTINCT FROM candidate.runner_id
        AND chats.status IN ('running', 'interrupting')
        AND (chats.status = 'interrupting' OR chats.owner_id NOT IN (SELECT owner_id FROM crowded))
      ORDER BY chats.id
        FOR NO KEY UPDATE OF chats
   ),
   taken AS (
   UPDATE chats
      SET runner_id = gen_random_uuid(),
          worker_id = :worker_id,
          ${COUNT_DEATH},
          snapshot_version = chats.snapshot_version + locked.begins::int,
          attempt = chats.attempt + locked.begins::int,
          queued_for_capacity = chats.queued_for_capacity AND NOT locked.begins,
          updated_at = CASE WHEN locked.begins THEN now() ELSE chats.updated_at END
     FROM locked
    WHERE chats.id = locked.id
   RETURNING ${CHAT_COLUMNS}, locked.begins AS begun, locked.updated_at AS waiting_since,
             (SELECT rules FROM user_approvals WHERE user_id = chats.owner_id) AS approvals
   )
   SELECT held.held_back, taken.*
     FROM (SELECT count(*) AS held_back FROM candidate JOIN crowded USING (owner_id)) AS held
     LEFT JOIN taken ON true`,
);
