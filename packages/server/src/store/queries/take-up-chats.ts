import type { ApprovalRule } from '@chatd/protocol';
import type { ChatRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';
import { CHAT_COLUMNS } from './chat-columns.ts';
import { NAMED_WITHOUT_OWNER } from './acquire-named-chats.ts';
import { COUNT_DEATH } from './lease.ts';

export type TakenUpRow = ChatRow & {
  readonly begun: boolean;
  readonly waiting_since: Date;
  readonly approvals: readonly ApprovalRule[] | null;
};

/**
 * Acquires, and begins the first attempt of chats whose next step can only be to ask the model: nothing is open, nothing
 * was tried yet, no summary is wanted. With it comes what a turn begins with, so that nothing else need be read.
 */
export const takeUpChats = statement<TakenUpRow>(
  'take-up-chats',
  `WITH candidate AS MATERIALIZED (${NAMED_WITHOUT_OWNER}),
   locked AS (
     SELECT chats.id, chats.updated_at,
            (chats.status = 'running' AND chats.attempt = 0 AND chats.open_calls = '[]'
             AND NOT chats.compaction_requested AND chats.retry IS NULL) AS begins
       FROM chats JOIN candidate ON candidate.id = chats.id
      WHERE chats.runner_id IS NOT DISTINCT FROM candidate.runner_id
        AND chats.status IN ('running', 'interrupting')
      ORDER BY chats.id
        FOR NO KEY UPDATE OF chats
   )
   UPDATE chats
      SET runner_id = gen_random_uuid(),
          worker_id = $1,
          ${COUNT_DEATH},
          snapshot_version = chats.snapshot_version + locked.begins::int,
          attempt = chats.attempt + locked.begins::int,
          queued_for_capacity = chats.queued_for_capacity AND NOT locked.begins,
          updated_at = CASE WHEN locked.begins THEN now() ELSE chats.updated_at END
     FROM locked
    WHERE chats.id = locked.id
   RETURNING ${CHAT_COLUMNS}, locked.begins AS begun, locked.updated_at AS waiting_since,
             (SELECT rules FROM user_approvals WHERE user_id = chats.owner_id) AS approvals`,
);
