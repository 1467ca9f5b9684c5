import { statement } from '../../statement.ts';
import { fromMessageRecords, RECORD_SOURCE, RECORD_TARGET } from '../messages/records.ts';

export interface WrittenChat {
  readonly updated_at: Date;
  readonly active_at: Date;
  readonly action_deadline: Date | null;
  readonly deleted_at: Date | null;
  /** One row a message that was added; null when none was. */
  readonly message_id: number | null;
  readonly message_created_at: Date | null;
}

/**
 * The state of a chat after a transition, and what it adds to the history. The caller holds the chat's lock, so
 * ids grow in the order of the history. $19: a turn began or ended; $20: whether the deadline changes, $21: in
 * how many milliseconds from now; $22: whether the deletion changes, $23: to deleted; $27 to $29: the episode
 * that the messages $30 belong to.
 */
export const writeChat = statement<WrittenChat>(
  'write-chat',
  `WITH chat AS (
     UPDATE chats
        SET status = $2, archived = $3, queue_length = $4,
            snapshot_version = $5, history_version = $6, queue_version = $7, retry_version = $8,
            reset_version = $9, attempt = $10, runner_id = $11, worker_id = $12, open_calls = $13,
            compaction_requested = $14, retry = $15, last_error = $16,
            queued_for_capacity = $17, reply_version = $18,
            active_at = CASE WHEN $19::boolean THEN now() ELSE active_at END,
            action_deadline = CASE WHEN $20::boolean
                                   THEN clock_timestamp() + $21::bigint * interval '1 millisecond'
                                   ELSE action_deadline END,
            deleted_at = CASE WHEN NOT $22::boolean THEN deleted_at WHEN $23::boolean THEN now() END,
            model_config_id = $24, reasoning_effort = $25, read_version = $26, interrupted = $31,
            updated_at = now()
      WHERE id = $1
     RETURNING id, snapshot_version, updated_at, active_at, action_deadline, deleted_at
   ), message AS (
     INSERT INTO messages (${RECORD_TARGET})
     SELECT chat.id, chat.snapshot_version, $27, $28, $29, ${RECORD_SOURCE}
       FROM chat, ${fromMessageRecords('$30')}
      ORDER BY record.ordinality
     RETURNING id, created_at
   )
   SELECT chat.updated_at, chat.active_at, chat.action_deadline, chat.deleted_at,
          message.id AS message_id, message.created_at AS message_created_at
     FROM chat LEFT JOIN message ON true
    ORDER BY message.id`,
);

export const writeChatProperties = statement<never>(
  'write-chat-properties',
  `UPDATE chats
      SET title = $2, labels = $3, pin_order = $4, plan_mode = $5, dynamic_tools = $6, workspace_id = $7,
          title_source = $8, system_prompt = $9, mcp_server_ids = $10
    WHERE id = $1`,
);
