import { statement } from '../statement.ts';
import { LISTED_COLUMNS, type ListedChat, timeOf } from './listed-chat.ts';

/**
 * Own chats without a parent that are not pinned, newest activity first. All that stands before the row comparison is an equality
 * on a leading column of chats_by_activity, so a page begins where the last one ended, however far down that is.
 * $2: archived or not; $3: a status or null; $4: labels or null; $5, $6: where the last page ended, or nulls.
 */
export const listRecentChats = statement<ListedChat>(
  'list-recent-chats',
  `SELECT ${LISTED_COLUMNS}
     FROM chats
    WHERE owner_id = $1 AND deleted_at IS NULL AND pin_order = 0 AND parent_chat_id IS NULL
      AND (active_at, id) < (coalesce(${timeOf('$5')}, 'infinity'),
                             coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
      AND archived = $2
      AND ($3::text IS NULL OR status = $3)
      AND ($4::jsonb IS NULL OR labels @> $4)
    ORDER BY active_at DESC, id DESC
    LIMIT $7`,
);
