import type { QueuedRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';

export const readQueue = statement<QueuedRow>(
  'read-queue',
  `SELECT id, chat_id, position, busy_behavior, content, model_config_id, reasoning_effort,
          created_by, created_at
     FROM queued_messages
    WHERE chat_id = $1
    ORDER BY position`,
);

export const insertQueued = statement<QueuedRow>(
  'insert-queued',
  `INSERT INTO queued_messages (chat_id, position, busy_behavior, content, model_config_id,
                                reasoning_effort, created_by)
   VALUES ($1, $2, $3, $4, $5, $6, $7)
   RETURNING id, chat_id, position, busy_behavior, content, model_config_id, reasoning_effort,
             created_by, created_at`,
);

export const editQueued = statement<QueuedRow>(
  'edit-queued',
  `UPDATE queued_messages
      SET content = coalesce($3, content), busy_behavior = $4
    WHERE chat_id = $1 AND id = $2
   RETURNING id, chat_id, position, busy_behavior, content, model_config_id, reasoning_effort,
             created_by, created_at`,
);

export const moveQueued = statement<never>(
  'move-queued',
  `UPDATE queued_messages
      SET position = moved.position
     FROM unnest($2::bigint[], $3::integer[]) AS moved (id, position)
    WHERE queued_messages.chat_id = $1 AND queued_messages.id = moved.id`,
);

export const removeQueued = statement<never>(
  'remove-queued',
  `DELETE FROM queued_messages WHERE chat_id = $1 AND id = ANY ($2::bigint[])`,
);

/** No row: this call has sent its message before. */
export const claimAgentMessage = statement<{ call: string }>(
  'claim-agent-message',
  `INSERT INTO agent_messages (call, agent_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING call`,
);
