import { statement } from '../../statement.ts';

export interface LinkRow {
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

/** Links work only while an admin allows them, and not those of suspended users. */
const VALID = `(chat_links.expires_at IS NULL OR chat_links.expires_at > now())
       AND (SELECT coalesce((value ->> 'allow_chat_links')::boolean, false) FROM settings)
       AND EXISTS (SELECT FROM chats AS linked JOIN users ON users.id = linked.owner_id
                    WHERE linked.id = chat_links.chat_id AND linked.deleted_at IS NULL AND users.suspended_at IS NULL)`;

export const readLink = statement<{ chat_id: string }, LinkRow>(
  'read-link',
  `SELECT created_at, expires_at FROM chat_links WHERE chat_id = :chat_id`,
);

/** No row: there is no link. */
export const keepLink = statement<{ chat_id: string; expires_at: Date | null }, LinkRow>(
  'keep-link',
  `UPDATE chat_links SET expires_at = :expires_at WHERE chat_id = :chat_id
   RETURNING created_at, expires_at`,
);

export const insertLink = statement<
  { chat_id: string; secret_hash: Buffer; expires_at: Date | null },
  LinkRow
>(
  'insert-link',
  `INSERT INTO chat_links (chat_id, secret_hash, expires_at) VALUES (:chat_id, :secret_hash, :expires_at)
   RETURNING created_at, expires_at`,
);

export const deleteLink = statement<{ chat_id: string }, never>(
  'delete-link',
  `DELETE FROM chat_links WHERE chat_id = :chat_id`,
);

/** The chat of a valid link. */
export const findLink = statement<
  { secret_hash: Buffer },
  { readonly chat_id: string; readonly created_at: Date; readonly expires_soon: boolean }
>(
  'find-link',
  `SELECT chat_links.chat_id, chat_links.created_at,
          coalesce(chat_links.expires_at <= now() + interval '1 second', false) AS expires_soon
     FROM chat_links JOIN chats ON chats.id = chat_links.chat_id
    WHERE chat_links.secret_hash = :secret_hash AND chats.deleted_at IS NULL AND ${VALID}`,
);

/** Of these links, the valid ones. */
export const validLinks = statement<{ secret_hashes: readonly Buffer[] }, { readonly key: string }>(
  'valid-links',
  `SELECT encode(chat_links.secret_hash, 'hex') AS key
     FROM chat_links
    WHERE chat_links.secret_hash = ANY (:secret_hashes::bytea[]) AND ${VALID}`,
);
