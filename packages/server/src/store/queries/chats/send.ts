import type { ClaimableRow, ClaimParams } from '../../commands/claim.ts';
import { BEGIN_TURN } from '../../../chat/turn.ts';
import type { JsonText } from '../../json.ts';
import { statement } from '../../statement.ts';
import { fromMessageRecords, RECORD_TARGET, recordSource } from '../messages/records.ts';
import { assign, constants, NEXT_VERSION } from '../runs/assignments.ts';
import { CLAIM, CLAIMED_APPROVALS } from '../runs/claim.ts';
import { CHAT_COLUMNS } from './columns.ts';

export type ChatAfterSend = ClaimableRow & {
  /** The history version before. Null: another transaction changed the chat while this one waited for it. */
  readonly previous_version: number | null;
  readonly message_id: number;
  readonly message_created_at: Date;
};

const ifClaimed = (claimed: string, otherwise: string) =>
  `CASE WHEN EXISTS (SELECT FROM claim) AND NOT compaction_requested
                  AND (pinned_worker_id IS NULL OR pinned_worker_id = :worker_id)
             THEN ${claimed} ELSE ${otherwise} END`;

/**
 * The transition `send` to an idle chat without a backlog, in one round trip. No row: it does not apply, and the
 * transition itself finds out why. The WHERE clause on the chat's own row has everything that the plan depends on.
 * A worker with capacity claims the chat and begins the first attempt, unless the history is to be summarized first or
 * another worker holds MCP sessions of the chat.
 */
export const sendToIdleChat = statement<
  {
    chat_id: string;
    /** The owner of the chat. */
    owner_id: string | null;
    model_config_id: string | null;
    reasoning_effort: string | null;
    messages: JsonText;
  } & ClaimParams,
  ChatAfterSend
>(
  'send-to-idle-chat',
  `WITH claim AS (${CLAIM}),
   chat AS (
     UPDATE chats
        SET ${assign({
          ...NEXT_VERSION,
          ...constants(BEGIN_TURN),
          history_version: 'snapshot_version + 1',
          attempt: ifClaimed('1', '0'),
          runner_id: ifClaimed('(SELECT runner_id FROM claim)', 'NULL'),
          worker_id: ifClaimed(':worker_id::uuid', 'NULL'),
          active_at: 'now()',
          model_config_id: 'coalesce(:model_config_id, model_config_id)',
          reasoning_effort: 'coalesce(:reasoning_effort, reasoning_effort)',
        })}
      WHERE id = :chat_id AND status IN ('waiting', 'error') AND NOT archived AND deleted_at IS NULL
        AND queue_length = 0 AND open_calls = '[]'
     RETURNING ${CHAT_COLUMNS}, ${CLAIMED_APPROVALS},
               (SELECT before.history_version FROM chats AS before
                 WHERE before.id = :chat_id AND before.snapshot_version = chats.snapshot_version - 1) AS previous_version
   ), message AS (
     INSERT INTO messages (${RECORD_TARGET})
     SELECT chat.id, chat.snapshot_version, NULL, NULL, NULL, ${recordSource('chat.model_config_id')}
       FROM chat, ${fromMessageRecords(':messages')}
     RETURNING id, created_at
   )
   SELECT chat.*, message.id AS message_id, message.created_at AS message_created_at
     FROM chat, message`,
);
