import { statement } from '../statement.ts';

export const purgeSignInLinks = statement<{ user_id: string }>(
  'purge-sign-in-links',
  `DELETE FROM sign_in_links
    WHERE secret_hash IN (SELECT secret_hash FROM sign_in_links
                           WHERE expires_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED)
   RETURNING user_id`,
);
