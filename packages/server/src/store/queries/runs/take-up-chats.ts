import type { ApprovalRule } from '@chatd/protocol';
import type { ChatRow } from '../../../chat/row.ts';
import { BEGIN_ATTEMPT } from '../../../chat/turn.ts';
import { statement } from '../../statement.ts';
import { CHAT_COLUMNS } from '../chats/columns.ts';
import { NAMED_WITHOUT_OWNER } from './acquire.ts';
import { constants } from './assignments.ts';
import { RULES_OF_CHAT } from './claim.ts';
import { COUNT_DEATH } from './lease.ts';

export type TakenUpRow = ChatRow & {
  readonly begun: boolean;
  readonly waiting_since: Date;
  readonly approvals: readonly ApprovalRule[] | null;
};

/** At least one row; with `id` null it holds no chat. */
export type TakeUpRow = (TakenUpRow | { readonly id: null }) & {
  /** Chats that were skipped because of :limit_per_user. */
  readonly held_back: number;
};

/** The transition `beginAttempt`, for chats that begin one. */
const BEGIN_IF_NEXT = Object.entries({
  ...constants(BEGIN_ATTEMPT),
  attempt: 'chats.attempt + 1',
  updated_at: 'now()',
})
  .map(
    ([column, value]) =>
      `${column} = CASE WHEN locked.begins THEN ${value} ELSE chats.${column} END`,
  )
  .join(',\n          ');

/**
 * Acquires chats, and begins the first attempt of those whose next step can only be a model call: no call is open, no
 * attempt has begun and no compaction is requested. Returns the owner's approval rules along with them.
 *
 * With :limit_per_user, a user with more active chats, running or waiting, gets none here. A user within the limit by
 * this count is within it by any, so no lock is needed. Reads at most :limit_per_user + 1 rows of
 * chats_runnable_by_owner.
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
          ${BEGIN_IF_NEXT}
     FROM locked
    WHERE chats.id = locked.id
   RETURNING ${CHAT_COLUMNS}, locked.begins AS begun, locked.updated_at AS waiting_since,
             ${RULES_OF_CHAT} AS approvals
   )
   SELECT held.held_back, taken.*
     FROM (SELECT count(*) AS held_back FROM candidate JOIN crowded USING (owner_id)) AS held
     LEFT JOIN taken ON true`,
);
