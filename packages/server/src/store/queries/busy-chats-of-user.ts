import { statement } from '../statement.ts';

/** Chats with a turn that an interrupt ends, root chats first: an interrupt includes the subagents. */
export const busyChatsOfUser = statement<{ id: string }>(
  'busy-chats-of-user',
  `SELECT id
     FROM chats
    WHERE owner_id = $1 AND deleted_at IS NULL AND status IN ('running', 'requires_action')
      AND ($2::uuid[] IS NULL OR id = ANY ($2))
    ORDER BY root_chat_id NULLS FIRST, id`,
);
