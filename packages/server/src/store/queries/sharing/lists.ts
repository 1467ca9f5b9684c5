import { statement } from '../../statement.ts';
import { LISTED_COLUMNS, type ListedChat, timeOf } from '../chats/columns.ts';
import { FILTERS, type FilterParams } from '../chats/list.ts';
import { type Access, type GuestRow, isGrantedTo } from './roles.ts';

export type ListedSharedChat = ListedChat & Access & { readonly guest_read_version: number };

export interface VisibleChatRow extends Access {
  readonly id: string;
  readonly read_version: number;
}

const SHARED = `(SELECT chat_grants.chat_id, min(chat_grants.role) AS role
        FROM chat_grants
       WHERE ${isGrantedTo(':user_id')}
       GROUP BY chat_grants.chat_id) AS shared`;

/** Root chats of other users with a grant for the user, newest activity first. */
export const listSharedWith = statement<
  FilterParams & {
    user_id: string;
    archived: boolean;
    after_activity: number | null;
    after_id: string | null;
    limit: number;
  },
  ListedSharedChat
>(
  'list-shared-with',
  `SELECT ${LISTED_COLUMNS}, shared.role, owners.username AS owner_name,
          coalesce(chat_reads.read_version, 0) AS guest_read_version
     FROM ${SHARED}
     JOIN chats ON chats.id = shared.chat_id
     JOIN users AS owners ON owners.id = chats.owner_id
     LEFT JOIN chat_reads ON chat_reads.chat_id = chats.id AND chat_reads.user_id = :user_id
    WHERE chats.owner_id <> :user_id AND chats.deleted_at IS NULL AND chats.archived = :archived
      AND ${FILTERS}
      AND (:after_activity::bigint IS NULL
           OR (chats.active_at, chats.id) < (${timeOf(':after_activity')}, :after_id::uuid))
    ORDER BY chats.active_at DESC, chats.id DESC
    LIMIT :limit`,
);

/** The first chats that are shared with each of these users, to notice changes whose message was lost. */
export const sharedWithUsers = statement<{ user_ids: readonly string[]; limit: number }, GuestRow>(
  'shared-with-users',
  `SELECT chat.id, guests.id AS user_id, chat.owner_id, chat.role, owners.username AS owner_name, 0 AS read_version
     FROM unnest(:user_ids::uuid[]) AS guests (id)
    CROSS JOIN LATERAL (
            SELECT chats.id, chats.owner_id, min(chat_grants.role) AS role
              FROM chat_grants JOIN chats ON chats.id = chat_grants.chat_id
             WHERE ${isGrantedTo('guests.id')}
               AND chats.owner_id <> guests.id AND chats.deleted_at IS NULL AND NOT chats.archived
             GROUP BY chats.id
             ORDER BY chats.active_at DESC, chats.id DESC
             LIMIT :limit) AS chat
     JOIN users AS owners ON owners.id = chat.owner_id`,
);

/**
 * Chats of other users that a user may see, with their subagents, newest activity first. For a user without grants, it reads
 * only the indexes of grants.
 */
export const visibleChats = statement<{ user_id: string; limit: number }, VisibleChatRow>(
  'visible-chats',
  `SELECT chats.id, shared.role, owners.username AS owner_name, coalesce(chat_reads.read_version, 0) AS read_version
     FROM ${SHARED}
     JOIN chats ON chats.id = shared.chat_id OR chats.root_chat_id = shared.chat_id
     JOIN users AS owners ON owners.id = chats.owner_id
     LEFT JOIN chat_reads ON chat_reads.chat_id = chats.id AND chat_reads.user_id = :user_id
    WHERE chats.owner_id <> :user_id AND chats.deleted_at IS NULL
    ORDER BY chats.active_at DESC
    LIMIT :limit`,
);
