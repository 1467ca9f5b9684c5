import { statement } from '../statement.ts';

/** Idle roots without activity for $1 days. Deleting them is the machine's business. */
export const findInactiveChats = statement<{ id: string }>(
  'find-inactive-chats',
  `SELECT id
     FROM chats
    WHERE deleted_at IS NULL AND root_chat_id IS NULL AND status IN ('waiting', 'error')
      AND active_at < now() - $1::integer * interval '1 day'
      AND ($3::uuid IS NULL OR id > $3)
    ORDER BY id
    LIMIT $2`,
);
