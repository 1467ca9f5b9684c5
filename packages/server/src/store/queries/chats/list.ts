import { statement } from '../../statement.ts';
import { LISTED_COLUMNS, type ListedChat, timeOf } from './columns.ts';

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

/** The subagents of all these chats, however deep, newest activity first, through chats_by_root. */
export const agentsOfRoots = statement<ListedChat>(
  'agents-of-roots',
  `SELECT ${LISTED_COLUMNS}
     FROM chats
    WHERE root_chat_id = ANY ($1::uuid[]) AND parent_chat_id IS NOT NULL AND deleted_at IS NULL
    ORDER BY active_at DESC, id DESC
    LIMIT $2`,
);
