import { statement } from '../statement.ts';

/** Two who use the same link: the row lock lets one of them find it, and the other nothing. */
export const useSignInLink = statement<{ user_id: string }>(
  'use-sign-in-link',
  `DELETE FROM sign_in_links WHERE secret_hash = $1 AND expires_at > now() RETURNING user_id`,
);
