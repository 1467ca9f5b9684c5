import { statement } from '../statement.ts';

export const removeQueued = statement<never>(
  'remove-queued',
  `DELETE FROM queued_messages WHERE chat_id = $1 AND id = ANY ($2::bigint[])`,
);
