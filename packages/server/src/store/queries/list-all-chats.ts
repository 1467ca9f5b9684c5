import { statement } from '../statement.ts';
import { LISTED_COLUMNS, type ListedChat, timeOf } from './listed-chat.ts';

/** The chats of everybody, but for subagents, for an admin who asked for it: rare, so no index is kept for it. Parameters as for search. */
export const listAllChats = statement<ListedChat>(
  'list-all-chats',
  `SELECT ${LISTED_COLUMNS}
     FROM chats
    WHERE deleted_at IS NULL AND parent_chat_id IS NULL
      AND archived = $1
      AND ($2::text IS NULL OR status = $2)
      AND ($3::jsonb IS NULL OR labels @> $3)
      AND ($4::integer IS NULL
           OR ((pin_order = 0), pin_order) > ($4 = 0, $4)
           OR (pin_order = $4 AND (active_at, id) < (${timeOf('$5')}, $6::uuid)))
    ORDER BY (pin_order = 0), pin_order, active_at DESC, id DESC
    LIMIT $7`,
);
