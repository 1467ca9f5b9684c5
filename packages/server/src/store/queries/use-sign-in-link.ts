import { statement } from '../statement.ts';

/** Two who use the same link: the row lock lets one of them find it, and the other nothing. */
export const useSignInLink = statement<{ user_id: string }>(
  'use-sign-in-link',
  `DELETE FROM sign_in_links
    USING users
    WHERE sign_in_links.secret_hash = $1 AND sign_in_links.expires_at > now()
      AND users.id = sign_in_links.user_id AND users.suspended_at IS NULL
   RETURNING user_id`,
);
