import { statement } from '../statement.ts';
import { LISTED_COLUMNS, type ListedChat } from './listed-chat.ts';

/** The subagents of all these chats, however deep, newest activity first, through chats_by_root. */
export const agentsOfRoots = statement<ListedChat>(
  'agents-of-roots',
  `SELECT ${LISTED_COLUMNS}
     FROM chats
    WHERE root_chat_id = ANY ($1::uuid[]) AND parent_chat_id IS NOT NULL AND deleted_at IS NULL
    ORDER BY active_at DESC, id DESC
    LIMIT $2`,
);
