import { statement } from '../statement.ts';

/** Takes attempts back. $1: scopes; $2: buckets; $3: how many attempts of each. */
export const uncountSignInAttempt = statement<never>(
  'uncount-sign-in-attempt',
  `WITH taken AS (
     SELECT kept.scope, kept.bucket, asked.back
       FROM sign_in_attempts AS kept JOIN unnest($1::text[], $2::int[], $3::int[]) AS asked (scope, bucket, back) USING (scope, bucket)
      ORDER BY kept.scope, kept.bucket
        FOR UPDATE OF kept
   )
   UPDATE sign_in_attempts SET attempts = greatest(0, sign_in_attempts.attempts - taken.back)
     FROM taken
    WHERE sign_in_attempts.scope = taken.scope AND sign_in_attempts.bucket = taken.bucket`,
);
