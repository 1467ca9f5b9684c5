import { statement } from '../statement.ts';

/** No row: there is no such user. */
export const insertSignInLink = statement<{ expires_at: Date }>(
  'insert-sign-in-link',
  `INSERT INTO sign_in_links (secret_hash, user_id, expires_at)
   SELECT $1, users.id, now() + interval '15 minutes'
     FROM users
    WHERE users.id = $2
   RETURNING expires_at`,
);
