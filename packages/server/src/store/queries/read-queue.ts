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
