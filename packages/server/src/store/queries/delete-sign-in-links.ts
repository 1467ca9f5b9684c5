import { statement } from '../statement.ts';

/** All links of a user. */
export const deleteSignInLinks = statement<never>(
  'delete-sign-in-links',
  `DELETE FROM sign_in_links WHERE user_id = $1`,
);
