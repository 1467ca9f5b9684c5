import { statement } from '../statement.ts';
import { LISTED_COLUMNS, type ListedChat, timeOf } from './listed-chat.ts';

/**
 * Own chats without a parent that are pinned, in their order: the other, small part of chats_by_activity. $2, $3, $4 as for those
 * that are not; $5, $6, $7: pin order, activity and id where the last page ended, or nulls.
 */
export const listPinnedChats = statement<ListedChat>(
  'list-pinned-chats',
  `SELECT ${LISTED_COLUMNS}
     FROM chats
    WHERE owner_id = $1 AND deleted_at IS NULL AND NOT (pin_order = 0)
      AND parent_chat_id IS NULL
      AND ($5::integer IS NULL OR pin_order > $5
           OR (pin_order = $5 AND (active_at, id) < (${timeOf('$6')}, $7::uuid)))
      AND archived = $2
      AND ($3::text IS NULL OR status = $3)
      AND ($4::jsonb IS NULL OR labels @> $4)
    ORDER BY pin_order, active_at DESC, id DESC
    LIMIT $8`,
);
