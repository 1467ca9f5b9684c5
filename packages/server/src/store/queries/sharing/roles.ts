import type { ChatRole } from '@chatd/protocol';
import type { ChatRow } from '../../../chat/row.ts';
import type { FileRow } from '../../files/file-row.ts';
import { statement } from '../../statement.ts';
import type { WorkspaceRow } from '../../workspaces.ts';
import { CHAT_COLUMNS } from '../chats/columns.ts';
import { FILE_COLUMNS } from '../files.ts';
import { WORKSPACE_COLUMNS } from '../workspaces.ts';

/** What a user is to a chat, workspace or file. */
export type AccessRole = 'owner' | ChatRole;

/** A row that the user may see, with their role. `owner_name` is null for the owner. */
export interface Access {
  readonly role: AccessRole;
  readonly owner_name: string | null;
}

export type VisibleChat = ChatRow & Access;

/** Null: the user may not see the row. */
type MaybeAccess = Omit<Access, 'role'> & { readonly role: AccessRole | null };

/** Grants for a user: in person, through a group, or for everyone. With an array, each condition can use its index. */
export const isGrantedTo = (user: string): string =>
  `(chat_grants.user_id = ${user}
    OR chat_grants.group_id = ANY (ARRAY(SELECT group_id FROM group_members WHERE group_members.user_id = ${user}))
    OR (chat_grants.user_id IS NULL AND chat_grants.group_id IS NULL))`;

/** The role by the grants of the root chat, null without one. `editor` sorts before `viewer`. */
export const grantedRole = (user: string): string =>
  `(SELECT min(chat_grants.role) FROM chat_grants
     WHERE chat_grants.chat_id = coalesce(chats.root_chat_id, chats.id) AND ${isGrantedTo(user)})`;

/** Through the grants of the user, because chats have no index by workspace. Those of suspended owners are stopped. */
const roleInWorkspace = (user: string) =>
  `(SELECT min(chat_grants.role)
      FROM chat_grants JOIN chats ON chats.id = chat_grants.chat_id
     WHERE ${isGrantedTo(user)} AND chats.workspace_id = workspaces.id
       AND chats.owner_id = workspaces.owner_id AND chats.deleted_at IS NULL
       AND EXISTS (SELECT FROM users AS host WHERE host.id = workspaces.owner_id AND host.suspended_at IS NULL))`;

const ownerName = (table: string) =>
  `CASE WHEN ${table}.owner_id <> :user_id
        THEN (SELECT username FROM users WHERE users.id = ${table}.owner_id) END AS owner_name`;

/**
 * The chat, with the user's role. For the owner, no other table is read. `guest_read_version` is the read mark of another
 * user. Includes deleted chats.
 */
export const findChatFor = statement<
  { id: string; user_id: string },
  ChatRow & MaybeAccess & { readonly guest_read_version: number | null }
>(
  'find-chat-for',
  `SELECT ${CHAT_COLUMNS}, ${ownerName('chats')},
          CASE WHEN chats.owner_id = :user_id THEN 'owner' ELSE ${grantedRole(':user_id')} END AS role,
          CASE WHEN chats.owner_id <> :user_id
               THEN (SELECT read_version FROM chat_reads
                      WHERE chat_reads.chat_id = chats.id AND chat_reads.user_id = :user_id) END AS guest_read_version
     FROM chats
    WHERE chats.id = :id`,
);

/** Not deleted. Undefined owner: the workspace of a deleted user. */
export const findWorkspaceFor = statement<
  { id: string; user_id: string },
  WorkspaceRow & MaybeAccess
>(
  'find-workspace-for',
  `SELECT ${WORKSPACE_COLUMNS}, ${ownerName('workspaces')},
          CASE WHEN owner_id = :user_id THEN 'owner' ELSE ${roleInWorkspace(':user_id')} END AS role
     FROM workspaces
    WHERE id = :id AND status <> 'deleted'`,
);

/** A file is visible in every chat that uses it, to the owner of the chat and to users with a role in it. */
export const findFileFor = statement<{ id: string; user_id: string }, FileRow & MaybeAccess>(
  'find-file-for',
  `SELECT ${FILE_COLUMNS}, ${ownerName('files')},
          CASE WHEN owner_id = :user_id THEN 'owner'
               WHEN EXISTS (SELECT FROM chat_files JOIN chats ON chats.id = chat_files.chat_id
                             WHERE chat_files.file_id = files.id AND chats.deleted_at IS NULL
                               AND (chats.owner_id = :user_id OR ${grantedRole(':user_id')} IS NOT NULL))
               THEN 'viewer' END AS role
     FROM files
    WHERE id = :id`,
);

/** A file that a chat uses, or one of its subagents. */
export const findFileOfChat = statement<{ id: string; chat_id: string }, FileRow>(
  'find-file-of-chat',
  `SELECT ${FILE_COLUMNS}
     FROM files
    WHERE id = :id
      AND EXISTS (SELECT FROM chat_files JOIN chats ON chats.id = chat_files.chat_id
                   WHERE chat_files.file_id = files.id AND chats.deleted_at IS NULL
                     AND coalesce(chats.root_chat_id, chats.id) = :chat_id)`,
);

/** What a user who does not own a root chat is to it. */
export interface GuestRow {
  readonly id: string;
  readonly user_id: string;
  readonly owner_id: string;
  readonly role: ChatRole;
  readonly owner_name: string;
  readonly read_version: number;
}

/** Of pairs of a root chat and a user, those with a role. */
export const rolesInChats = statement<
  { chat_ids: readonly string[]; user_ids: readonly string[] },
  GuestRow
>(
  'roles-in-chats',
  `SELECT pair.id, pair.user_id, pair.owner_id, pair.role, users.username AS owner_name,
          coalesce(chat_reads.read_version, 0) AS read_version
     FROM (SELECT chats.id, chats.owner_id, asked.user_id, ${grantedRole('asked.user_id')} AS role
             FROM unnest(:chat_ids::uuid[], :user_ids::uuid[]) AS asked (chat_id, user_id)
             JOIN chats ON chats.id = asked.chat_id AND chats.deleted_at IS NULL) AS pair
     JOIN users ON users.id = pair.owner_id
     LEFT JOIN chat_reads ON chat_reads.chat_id = pair.id AND chat_reads.user_id = pair.user_id
    WHERE pair.role IS NOT NULL AND pair.user_id <> pair.owner_id`,
);

/** Of pairs of a workspace and a user, those with a role. */
export const rolesInWorkspaces = statement<
  { workspace_ids: readonly string[]; user_ids: readonly string[] },
  { readonly id: string; readonly user_id: string; readonly role: ChatRole }
>(
  'roles-in-workspaces',
  `SELECT pair.id, pair.user_id, pair.role
     FROM (SELECT workspaces.id, asked.user_id, ${roleInWorkspace('asked.user_id')} AS role
             FROM unnest(:workspace_ids::uuid[], :user_ids::uuid[]) AS asked (workspace_id, user_id)
             JOIN workspaces ON workspaces.id = asked.workspace_id) AS pair
    WHERE pair.role IS NOT NULL`,
);
