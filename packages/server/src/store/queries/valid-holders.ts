import { statement } from '../statement.ts';

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
