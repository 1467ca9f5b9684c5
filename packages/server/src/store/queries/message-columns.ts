import { usageObject } from './message-usage.ts';

/** What is read of a message; the search vector and the commit's marks stay in the database. */
export const MESSAGE_COLUMNS = [
  'id',
  'chat_id',
  'role',
  'revision',
  'hidden',
  'content',
  'meta',
  'created_at',
  'created_by',
  'model_config_id',
  'cost_micros',
  'runtime_ms',
  'queued_message_id',
]
  .map((column) => `messages.${column}`)
  .concat(`${usageObject('messages.usage')} AS usage`)
  .join(', ');
