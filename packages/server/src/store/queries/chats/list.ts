import type { JsonText } from '../../json.ts';
import { statement } from '../../statement.ts';
import { LISTED_COLUMNS, type ListedChat, timeOf } from './columns.ts';

interface PageParams {
  status: string | null;
  labels: JsonText | null;
  /** Where the last page ended. */
  after_activity: number | null;
  after_id: string | null;
  limit: number;
}

/**
 * The owner's root chats that are not pinned, newest activity first. Only equalities on leading columns of
 * chats_by_activity come before the row comparison, so that any page is one index range.
 */
export const listRecentChats = statement<
  PageParams & { owner_id: string; archived: boolean },
  ListedChat
>(
  'list-recent-chats',
  `SELECT ${LISTED_COLUMNS}
     FROM chats
    WHERE owner_id = :owner_id AND deleted_at IS NULL AND pin_order = 0 AND parent_chat_id IS NULL
      AND (active_at, id) < (coalesce(${timeOf(':after_activity')}, 'infinity'),
                             coalesce(:after_id::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
      AND archived = :archived
      AND (:status::text IS NULL OR status = :status)
      AND (:labels::jsonb IS NULL OR labels @> :labels)
    ORDER BY active_at DESC, id DESC
    LIMIT :limit`,
);

/** The owner's pinned root chats, in their order, through the other part of chats_by_activity. */
export const listPinnedChats = statement<
  PageParams & { owner_id: string; archived: boolean; after_pin_order: number | null },
  ListedChat
>(
  'list-pinned-chats',
  `SELECT ${LISTED_COLUMNS}
     FROM chats
    WHERE owner_id = :owner_id AND deleted_at IS NULL AND NOT (pin_order = 0)
      AND parent_chat_id IS NULL
      AND (:after_pin_order::integer IS NULL OR pin_order > :after_pin_order
           OR (pin_order = :after_pin_order AND (active_at, id) < (${timeOf(':after_activity')}, :after_id::uuid)))
      AND archived = :archived
      AND (:status::text IS NULL OR status = :status)
      AND (:labels::jsonb IS NULL OR labels @> :labels)
    ORDER BY pin_order, active_at DESC, id DESC
    LIMIT :limit`,
);

/** Root chats of all users, for admins. Rare, so there is no index for it. */
export const listAllChats = statement<
  PageParams & { archived: boolean; after_pin_order: number | null },
  ListedChat
>(
  'list-all-chats',
  `SELECT ${LISTED_COLUMNS}
     FROM chats
    WHERE deleted_at IS NULL AND parent_chat_id IS NULL
      AND archived = :archived
      AND (:status::text IS NULL OR status = :status)
      AND (:labels::jsonb IS NULL OR labels @> :labels)
      AND (:after_pin_order::integer IS NULL
           OR ((pin_order = 0), pin_order) > (:after_pin_order = 0, :after_pin_order)
           OR (pin_order = :after_pin_order AND (active_at, id) < (${timeOf(':after_activity')}, :after_id::uuid)))
    ORDER BY (pin_order = 0), pin_order, active_at DESC, id DESC
    LIMIT :limit`,
);

/**
 * The subagents of a chat, newest activity first, through chats_by_parent. Null :owner_id: any owner. Null :archived:
 * both.
 */
export const listChildChats = statement<
  PageParams & { parent_id: string; owner_id: string | null; archived: boolean | null },
  ListedChat
>(
  'list-child-chats',
  `SELECT ${LISTED_COLUMNS}
     FROM chats
    WHERE parent_chat_id = :parent_id AND (:owner_id::uuid IS NULL OR owner_id = :owner_id) AND deleted_at IS NULL
      AND (:archived::boolean IS NULL OR archived = :archived)
      AND (:status::text IS NULL OR status = :status)
      AND (:labels::jsonb IS NULL OR labels @> :labels)
      AND (:after_activity::bigint IS NULL OR (active_at, id) < (${timeOf(':after_activity')}, :after_id::uuid))
    ORDER BY active_at DESC, id DESC
    LIMIT :limit`,
);

/** All descendants of these chats, newest activity first, through chats_by_root. */
export const agentsOfRoots = statement<
  { root_chat_ids: readonly string[]; limit: number },
  ListedChat
>(
  'agents-of-roots',
  `SELECT ${LISTED_COLUMNS}
     FROM chats
    WHERE root_chat_id = ANY (:root_chat_ids::uuid[]) AND parent_chat_id IS NOT NULL AND deleted_at IS NULL
    ORDER BY active_at DESC, id DESC
    LIMIT :limit`,
);
