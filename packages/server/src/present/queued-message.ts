import type { QueuedMessage } from '@chatd/protocol';
import type { QueuedRow } from '../chat/row.ts';
import { presentParts } from './part.ts';

export function presentQueuedMessage(row: QueuedRow): QueuedMessage {
  return {
    id: row.id,
    chat_id: row.chat_id,
    created_at: row.created_at.toISOString(),
    ...(row.created_by !== null && { created_by: row.created_by }),
    busy_behavior: row.busy_behavior,
    ...(row.model_config_id !== null && { model_config_id: row.model_config_id }),
    ...(row.reasoning_effort !== null && { reasoning_effort: row.reasoning_effort }),
    content: presentParts(row.content),
  };
}
