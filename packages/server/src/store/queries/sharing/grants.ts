import type { ChatRole } from '@chatd/protocol';
import type { JsonText } from '../../json.ts';
import { statement } from '../../statement.ts';

/** Without a user and a group: for everyone. */
export interface GrantRow {
  readonly user_id: string | null;
  readonly username: string | null;
  readonly group_id: string | null;
  readonly group_name: string | null;
  readonly role: ChatRole;
}

export const listGrants = statement<{ chat_id: string }, GrantRow>(
  'list-grants',
  `SELECT chat_grants.user_id, users.username, chat_grants.group_id, groups.name AS group_name, chat_grants.role
     FROM chat_grants
     LEFT JOIN users ON users.id = chat_grants.user_id
     LEFT JOIN groups ON groups.id = chat_grants.group_id
    WHERE chat_grants.chat_id = :chat_id
    ORDER BY users.username NULLS LAST, groups.name NULLS LAST`,
);

/**
 * Of these groups, those that a user may name: their own, and those that have a grant already. Null :user_id: all. They
 * cannot be deleted before the transaction ends.
 */
export const findGranteeGroups = statement<
  { ids: readonly string[]; user_id: string | null; chat_id: string },
  { readonly id: string }
>(
  'find-grantee-groups',
  `SELECT id FROM groups
    WHERE id = ANY (:ids::uuid[])
      AND (:user_id::uuid IS NULL
           OR id IN (SELECT group_id FROM group_members WHERE user_id = :user_id)
           OR id IN (SELECT group_id FROM chat_grants WHERE chat_id = :chat_id))
    ORDER BY id
      FOR KEY SHARE`,
);

/** Users by id or name. They cannot be deleted before the transaction ends. */
export const findGrantees = statement<
  { ids: readonly string[]; usernames: readonly string[] },
  { readonly id: string; readonly username: string }
>(
  'find-grantees',
  `SELECT id, username FROM users WHERE id = ANY (:ids::uuid[]) OR username = ANY (:usernames::text[])
    ORDER BY id
      FOR KEY SHARE`,
);

export const deleteGrants = statement<{ chat_id: string }, never>(
  'delete-grants',
  `DELETE FROM chat_grants WHERE chat_id = :chat_id`,
);

/** :grants is a list of objects with `user_id`, `group_id` and `role`. */
export const insertGrants = statement<{ chat_id: string; grants: JsonText }, never>(
  'insert-grants',
  `INSERT INTO chat_grants (chat_id, user_id, group_id, role)
   SELECT :chat_id, given.user_id, given.group_id, given.role
     FROM json_to_recordset(:grants::json) AS given (user_id uuid, group_id uuid, role text)`,
);

/** The owner, and everyone who has written a message. */
export const listParticipants = statement<
  { chat_id: string },
  { readonly user_id: string; readonly username: string }
>(
  'list-participants',
  `SELECT users.id AS user_id, users.username
     FROM users, (SELECT owner_id FROM chats WHERE id = :chat_id) AS chat
    WHERE users.id = chat.owner_id
       OR users.id IN (SELECT created_by FROM messages WHERE chat_id = :chat_id AND created_by IS NOT NULL
                        UNION SELECT created_by FROM queued_messages WHERE chat_id = :chat_id)
    ORDER BY users.id <> chat.owner_id, users.username`,
);

/** Reading never goes back. */
export const markReadByGuest = statement<
  { chat_id: string; user_id: string; read_version: number },
  never
>(
  'mark-read-by-guest',
  `INSERT INTO chat_reads (chat_id, user_id, read_version) VALUES (:chat_id, :user_id, :read_version)
   ON CONFLICT (chat_id, user_id)
   DO UPDATE SET read_version = greatest(chat_reads.read_version, excluded.read_version)`,
);
