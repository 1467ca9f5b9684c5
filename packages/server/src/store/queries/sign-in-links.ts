import { statement } from '../statement.ts';

/** No row: unknown user. */
export const insertSignInLink = statement<
  { secret_hash: Buffer; user_id: string },
  { expires_at: Date }
>(
  'insert-sign-in-link',
  `INSERT INTO sign_in_links (secret_hash, user_id, expires_at)
   SELECT :secret_hash, users.id, now() + interval '15 minutes'
     FROM users
    WHERE users.id = :user_id
   RETURNING expires_at`,
);

/** A link can be used once: of concurrent uses, one finds the row. */
export const useSignInLink = statement<{ secret_hash: Buffer }, { id: string; username: string }>(
  'use-sign-in-link',
  `DELETE FROM sign_in_links
    USING users
    WHERE sign_in_links.secret_hash = :secret_hash AND sign_in_links.expires_at > now()
      AND users.id = sign_in_links.user_id AND users.suspended_at IS NULL
   RETURNING users.id, users.username`,
);

/** All links of a user. */
export const deleteSignInLinks = statement<{ user_id: string }, never>(
  'delete-sign-in-links',
  `DELETE FROM sign_in_links WHERE user_id = :user_id`,
);

export const purgeSignInLinks = statement<{ limit: number }, { user_id: string }>(
  'purge-sign-in-links',
  `DELETE FROM sign_in_links
    WHERE secret_hash IN (SELECT secret_hash FROM sign_in_links
                           WHERE expires_at < now() LIMIT :limit FOR UPDATE SKIP LOCKED)
   RETURNING user_id`,
);
