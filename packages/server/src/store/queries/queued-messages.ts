import type { QueuedRow } from '../../chat/row.ts';
import type { JsonText } from '../json.ts';
import { statement } from '../statement.ts';

export const readQueue = statement<{ chat_id: string }, QueuedRow>(
  'read-queue',
  `SELECT id, chat_id, position, busy_behavior, content, model_config_id, reasoning_effort,
          created_by, author, created_at
     FROM queued_messages
    WHERE chat_id = :chat_id
    ORDER BY position`,
);

export const insertQueued = statement<
  {
    chat_id: string;
    position: number;
    busy_behavior: string;
    content: JsonText;
    model_config_id: string | null;
    reasoning_effort: string | null;
    created_by: string | null;
    author: string | null;
  },
  QueuedRow
>(
  'insert-queued',
  `INSERT INTO queued_messages (chat_id, position, busy_behavior, content, model_config_id,
                                reasoning_effort, created_by, author)
   VALUES (:chat_id, :position, :busy_behavior, :content, :model_config_id, :reasoning_effort, :created_by, :author)
   RETURNING id, chat_id, position, busy_behavior, content, model_config_id, reasoning_effort,
             created_by, author, created_at`,
);

export const editQueued = statement<
  {
    chat_id: string;
    id: number;
    content: JsonText | null;
    busy_behavior: string;
    created_by: string | null;
    author: string | null;
  },
  QueuedRow
>(
  'edit-queued',
  `UPDATE queued_messages
      SET content = coalesce(:content, content), busy_behavior = :busy_behavior,
          created_by = CASE WHEN :content::jsonb IS NULL THEN created_by ELSE :created_by::uuid END,
          author = CASE WHEN :content::jsonb IS NULL THEN author ELSE :author::text END
    WHERE chat_id = :chat_id AND id = :id
   RETURNING id, chat_id, position, busy_behavior, content, model_config_id, reasoning_effort,
             created_by, author, created_at`,
);

export const moveQueued = statement<
  {
    chat_id: string;
    ids: readonly number[];
    positions: readonly number[];
  },
  never
>(
  'move-queued',
  `UPDATE queued_messages
      SET position = moved.position
     FROM unnest(:ids::bigint[], :positions::integer[]) AS moved (id, position)
    WHERE queued_messages.chat_id = :chat_id AND queued_messages.id = moved.id`,
);

export const removeQueued = statement<{ chat_id: string; ids: readonly number[] }, never>(
  'remove-queued',
  `DELETE FROM queued_messages WHERE chat_id = :chat_id AND id = ANY (:ids::bigint[])`,
);

/** No row: the call has already sent its message. */
export const claimAgentMessage = statement<{ call: string; agent_id: string }, { call: string }>(
  'claim-agent-message',
  `INSERT INTO agent_messages (call, agent_id) VALUES (:call, :agent_id) ON CONFLICT DO NOTHING RETURNING call`,
);
