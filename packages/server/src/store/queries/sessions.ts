import type { UserRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { USER_COLUMNS } from './users.ts';

export const findSession = statement<
  { secret_hash: Buffer },
  UserRow & { readonly expires_soon: boolean }
>(
  'find-session',
  `SELECT ${USER_COLUMNS}, sessions.expires_at <= now() + interval '1 second' AS expires_soon
     FROM sessions JOIN users ON users.id = sessions.user_id
    WHERE sessions.secret_hash = :secret_hash AND sessions.expires_at > now()`,
);

export const insertSession = statement<
  { secret_hash: Buffer; user_id: string; days: number; issuer: string | null },
  never
>(
  'insert-session',
  `INSERT INTO sessions (secret_hash, user_id, expires_at, issuer)
   VALUES (:secret_hash, :user_id, now() + :days::integer * interval '1 day', :issuer)`,
);

/** Returns the OIDC provider that signed in the user. */
export const deleteSession = statement<{ secret_hash: Buffer }, { issuer: string | null }>(
  'delete-session',
  `DELETE FROM sessions WHERE secret_hash = :secret_hash RETURNING issuer`,
);

/** Null :kept_hash: all sessions of the user. */
export const deleteOtherSessions = statement<{ user_id: string; kept_hash: Buffer | null }, never>(
  'delete-other-sessions',
  `DELETE FROM sessions WHERE user_id = :user_id AND secret_hash IS DISTINCT FROM :kept_hash::bytea`,
);

export const purgeSessions = statement<{ limit: number }, { user_id: string }>(
  'purge-sessions',
  `DELETE FROM sessions
    WHERE secret_hash IN (SELECT secret_hash FROM sessions
                           WHERE expires_at < now() LIMIT :limit FOR UPDATE SKIP LOCKED)
   RETURNING user_id`,
);

/** Of these tokens and sessions, those that are valid, with the role of their users. */
export const validHolders = statement<
  { token_ids: readonly string[]; secret_hashes: readonly Buffer[] },
  { readonly key: string; readonly role: 'admin' | 'member' }
>(
  'valid-holders',
  `SELECT tokens.id::text AS key, users.role
     FROM tokens JOIN users ON users.id = tokens.user_id
    WHERE tokens.id = ANY (:token_ids::uuid[])
      AND (tokens.expires_at IS NULL OR tokens.expires_at > now())
      AND users.suspended_at IS NULL
   UNION ALL
   SELECT encode(sessions.secret_hash, 'hex'), users.role
     FROM sessions JOIN users ON users.id = sessions.user_id
    WHERE sessions.secret_hash = ANY (:secret_hashes::bytea[]) AND sessions.expires_at > now()
      AND users.suspended_at IS NULL`,
);
