import { statement } from '../statement.ts';

/** All sessions of a user but one; all of them when that one is null. */
export const deleteOtherSessions = statement<never>(
  'delete-other-sessions',
  `DELETE FROM sessions WHERE user_id = $1 AND secret_hash IS DISTINCT FROM $2::bytea`,
);
