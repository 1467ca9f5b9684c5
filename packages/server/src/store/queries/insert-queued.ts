import type { QueuedRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';

export const insertQueued = statement<QueuedRow>(
  'insert-queued',
  `INSERT INTO queued_messages (chat_id, position, busy_behavior, content, model_config_id,
                                reasoning_effort, created_by)
   VALUES ($1, $2, $3, $4, $5, $6, $7)
   RETURNING id, chat_id, position, busy_behavior, content, model_config_id, reasoning_effort,
             created_by, created_at`,
);
