import type { JsonText } from '../../json.ts';
import { statement } from '../../statement.ts';
import { fromMessageRecords, RECORD_SOURCE, RECORD_TARGET } from '../messages/records.ts';

export interface WrittenChat {
  readonly updated_at: Date;
  readonly active_at: Date;
  readonly action_deadline: Date | null;
  readonly deleted_at: Date | null;
  /** One row per new message. Null: no new messages. */
  readonly message_id: number | null;
  readonly message_created_at: Date | null;
}

/**
 * The state of a chat after a transition, and its new messages. The caller holds the lock of the chat, so ids grow in
 * the order of the history. :deadline_ms counts from now. :base_version, :base_attempt and :base_runner_id are the
 * episode of the messages.
 */
export const writeChat = statement<
  {
    id: string;
    status: string;
    archived: boolean;
    queue_length: number;
    snapshot_version: number;
    history_version: number;
    queue_version: number;
    retry_version: number;
    reset_version: number;
    attempt: number;
    runner_id: string | null;
    worker_id: string | null;
    open_calls: JsonText;
    compaction_requested: boolean;
    retry: JsonText | null;
    last_error: JsonText | null;
    queued_for_capacity: boolean;
    reply_version: number;
    active: boolean;
    sets_deadline: boolean;
    deadline_ms: number | null;
    sets_deleted: boolean;
    deleted: boolean | null;
    model_config_id: string;
    reasoning_effort: string | null;
    read_version: number;
    base_version: number | null;
    base_attempt: number | null;
    base_runner_id: string | null;
    messages: JsonText;
    interrupted: boolean;
  },
  WrittenChat
>(
  'write-chat',
  `WITH chat AS (
     UPDATE chats
        SET status = :status, archived = :archived, queue_length = :queue_length,
            snapshot_version = :snapshot_version, history_version = :history_version, queue_version = :queue_version, retry_version = :retry_version,
            reset_version = :reset_version, attempt = :attempt, runner_id = :runner_id, worker_id = :worker_id, open_calls = :open_calls,
            compaction_requested = :compaction_requested, retry = :retry, last_error = :last_error,
            queued_for_capacity = :queued_for_capacity, reply_version = :reply_version,
            active_at = CASE WHEN :active::boolean THEN now() ELSE active_at END,
            action_deadline = CASE WHEN :sets_deadline::boolean
                                   THEN clock_timestamp() + :deadline_ms::bigint * interval '1 millisecond'
                                   ELSE action_deadline END,
            deleted_at = CASE WHEN NOT :sets_deleted::boolean THEN deleted_at WHEN :deleted::boolean THEN now() END,
            model_config_id = :model_config_id, reasoning_effort = :reasoning_effort, read_version = :read_version, interrupted = :interrupted,
            updated_at = now()
      WHERE id = :id
     RETURNING id, snapshot_version, updated_at, active_at, action_deadline, deleted_at
   ), message AS (
     INSERT INTO messages (${RECORD_TARGET})
     SELECT chat.id, chat.snapshot_version, :base_version, :base_attempt, :base_runner_id, ${RECORD_SOURCE}
       FROM chat, ${fromMessageRecords(':messages')}
      ORDER BY record.ordinality
     RETURNING id, created_at
   )
   SELECT chat.updated_at, chat.active_at, chat.action_deadline, chat.deleted_at,
          message.id AS message_id, message.created_at AS message_created_at
     FROM chat LEFT JOIN message ON true
    ORDER BY message.id`,
);

export const writeChatProperties = statement<
  {
    id: string;
    title: string;
    labels: JsonText;
    pin_order: number;
    plan_mode: boolean;
    dynamic_tools: JsonText;
    workspace_id: string | null;
    project_id: string | null;
    title_source: string;
    system_prompt: string | null;
    mcp_server_ids: readonly string[];
  },
  never
>(
  'write-chat-properties',
  `UPDATE chats
      SET title = :title, labels = :labels, pin_order = :pin_order, plan_mode = :plan_mode, dynamic_tools = :dynamic_tools, workspace_id = :workspace_id,
          project_id = :project_id, title_source = :title_source, system_prompt = :system_prompt, mcp_server_ids = :mcp_server_ids
    WHERE id = :id`,
);
