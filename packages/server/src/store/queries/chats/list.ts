import type { JsonText } from '../../json.ts';
import { statement } from '../../statement.ts';
import { type Access, grantedRole } from '../sharing/roles.ts';
import { LISTED_COLUMNS, type ListedChat, timeOf } from './columns.ts';

/** Conditions that a list may have. Null: any. */
export interface FilterParams {
  status: string | null;
  labels: JsonText | null;
  model_config_id: string | null;
  workspace_id: string | null;
  active_after: Date | null;
  active_before: Date | null;
  min_cost_micros: number | null;
}

/** The cost is read last, and only for chats that match otherwise, through model_calls_by_family. */
export const FILTERS = `(:status::text IS NULL OR chats.status = :status)
      AND (:labels::jsonb IS NULL OR chats.labels @> :labels)
      AND (:model_config_id::uuid IS NULL OR chats.model_config_id = :model_config_id)
      AND (:workspace_id::uuid IS NULL OR chats.workspace_id = :workspace_id)
      AND chats.active_at >= coalesce(:active_after::timestamptz, '-infinity')
      AND chats.active_at < coalesce(:active_before::timestamptz, 'infinity')
      AND (:min_cost_micros::bigint IS NULL
           OR (SELECT sum(cost_micros) FROM model_calls WHERE root_chat_id = chats.id) >= :min_cost_micros)`;

interface PageParams extends FilterParams {
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
      AND ${FILTERS}
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
      AND ${FILTERS}
    ORDER BY pin_order, active_at DESC, id DESC
    LIMIT :limit`,
);

/** Root chats of a project, newest activity first, through chats_by_project. */
export const listProjectChats = statement<
  PageParams & { owner_id: string; project_id: string; archived: boolean },
  ListedChat
>(
  'list-project-chats',
  `SELECT ${LISTED_COLUMNS}
     FROM chats
    WHERE project_id = :project_id AND owner_id = :owner_id AND deleted_at IS NULL
      AND (active_at, id) < (coalesce(${timeOf(':after_activity')}, 'infinity'),
                             coalesce(:after_id::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
      AND archived = :archived
      AND ${FILTERS}
    ORDER BY active_at DESC, id DESC
    LIMIT :limit`,
);

/** Root chats of all users, for admins. Rare, so there is no index for it. */
export const listAllChats = statement<
  PageParams & { archived: boolean; after_pin_order: number | null; project_id: string | null },
  ListedChat
>(
  'list-all-chats',
  `SELECT ${LISTED_COLUMNS}
     FROM chats
    WHERE deleted_at IS NULL AND parent_chat_id IS NULL
      AND archived = :archived AND (:project_id::uuid IS NULL OR project_id = :project_id)
      AND ${FILTERS}
      AND (:after_pin_order::integer IS NULL
           OR ((pin_order = 0), pin_order) > (:after_pin_order = 0, :after_pin_order)
           OR (pin_order = :after_pin_order AND (active_at, id) < (${timeOf(':after_activity')}, :after_id::uuid)))
    ORDER BY (pin_order = 0), pin_order, active_at DESC, id DESC
    LIMIT :limit`,
);

/**
 * The subagents of a chat, newest activity first, through chats_by_parent: of the owner, or of a chat that is shared with
 * them. Null :owner_id: any owner. Null :archived: both.
 */
export const listChildChats = statement<
  PageParams & { parent_id: string; owner_id: string | null; archived: boolean | null },
  ListedChat & Access
>(
  'list-child-chats',
  `SELECT ${LISTED_COLUMNS}, role.name AS role,
          CASE WHEN role.name <> 'owner'
               THEN (SELECT username FROM users WHERE users.id = chats.owner_id) END AS owner_name
     FROM chats
    CROSS JOIN LATERAL (
            SELECT CASE WHEN :owner_id::uuid IS NULL OR chats.owner_id = :owner_id THEN 'owner'
                        ELSE ${grantedRole(':owner_id')} END AS name) AS role
    WHERE parent_chat_id = :parent_id AND role.name IS NOT NULL AND deleted_at IS NULL
      AND (:archived::boolean IS NULL OR archived = :archived)
      AND ${FILTERS}
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
