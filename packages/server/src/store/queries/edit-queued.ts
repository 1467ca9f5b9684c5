import type { QueuedRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';

export const editQueued = statement<QueuedRow>(
  'edit-queued',
  `UPDATE queued_messages
      SET content = coalesce($3, content), busy_behavior = $4
    WHERE chat_id = $1 AND id = $2
   RETURNING id, chat_id, position, busy_behavior, content, model_config_id, reasoning_effort,
             created_by, created_at`,
);
