import { statement } from '../statement.ts';

/** Counts whose window is over. $1: how many at a time. */
export const purgeSignInAttempts = statement<{ bucket: number }>(
  'purge-sign-in-attempts',
  `DELETE FROM sign_in_attempts
    WHERE (scope, bucket) IN (SELECT scope, bucket FROM sign_in_attempts WHERE window_ends <= now()
                               ORDER BY window_ends LIMIT $1 FOR UPDATE SKIP LOCKED)
   RETURNING bucket`,
);
