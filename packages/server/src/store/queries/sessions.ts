import type { UserRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { USER_COLUMNS } from './users.ts';

export const findSession = statement<UserRow & { readonly expires_at: Date }>(
  'find-session',
  `SELECT ${USER_COLUMNS}, sessions.expires_at
     FROM sessions JOIN users ON users.id = sessions.user_id
    WHERE sessions.secret_hash = $1 AND sessions.expires_at > now()`,
);

export const insertSession = statement<never>(
  'insert-session',
  `INSERT INTO sessions (secret_hash, user_id, expires_at)
   VALUES ($1, $2, now() + $3::integer * interval '1 day')`,
);

export const deleteSession = statement<never>(
  'delete-session',
  `DELETE FROM sessions WHERE secret_hash = $1`,
);

/** All sessions of a user but one; all of them when that one is null. */
export const deleteOtherSessions = statement<never>(
  'delete-other-sessions',
  `DELETE FROM sessions WHERE user_id = $1 AND secret_hash IS DISTINCT FROM $2::bytea`,
);

export const purgeSessions = statement<{ user_id: string }>(
  'purge-sessions',
  `DELETE FROM sessions
    WHERE secret_hash IN (SELECT secret_hash FROM sessions
                           WHERE expires_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED)
   RETURNING user_id`,
);

/** Of these tokens ($1) and sessions ($2), those that still open something, and the role of their users. */
export const validHolders = statement<{ readonly key: string; readonly role: 'admin' | 'member' }>(
  'valid-holders',
  `SELECT tokens.id::text AS key, users.role
     FROM tokens JOIN users ON users.id = tokens.user_id
    WHERE tokens.id = ANY ($1::uuid[])
      AND (tokens.expires_at IS NULL OR tokens.expires_at > now())
      AND users.suspended_at IS NULL
   UNION ALL
   SELECT encode(sessions.secret_hash, 'hex'), users.role
     FROM sessions JOIN users ON users.id = sessions.user_id
    WHERE sessions.secret_hash = ANY ($2::bytea[]) AND sessions.expires_at > now()
      AND users.suspended_at IS NULL`,
);
