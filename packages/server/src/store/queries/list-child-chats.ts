import { statement } from '../statement.ts';
import { LISTED_COLUMNS, type ListedChat, timeOf } from './listed-chat.ts';

/**
 * The subagents of a chat, newest activity first, through chats_by_parent. $1: the parent; $2: its owner, or null for
 * anybody; $3: archived, not archived, or null for both; $4: a status or null; $5: labels or null; $6, $7: where the
 * last page ended, or nulls.
 */
export const listChildChats = statement<ListedChat>(
  'list-child-chats',
  `SELECT ${LISTED_COLUMNS}
     FROM chats
    WHERE parent_chat_id = $1 AND ($2::uuid IS NULL OR owner_id = $2) AND deleted_at IS NULL
      AND ($3::boolean IS NULL OR archived = $3)
      AND ($4::text IS NULL OR status = $4)
      AND ($5::jsonb IS NULL OR labels @> $5)
      AND ($6::bigint IS NULL OR (active_at, id) < (${timeOf('$6')}, $7::uuid))
    ORDER BY active_at DESC, id DESC
    LIMIT $8`,
);
