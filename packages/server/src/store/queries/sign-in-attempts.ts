import { statement } from '../statement.ts';

export interface CountedAttempt {
  readonly scope: string;
  readonly attempts: number;
  readonly retry_after_seconds: number;
}

/**
 * Counts an attempt in every bucket, unless one of them has reached its limit: then nothing is counted, so that refused
 * attempts of one client cannot use up the limit of an account. Rows are locked in key order to avoid deadlocks.
 *
 * Returns the current counts. Concurrent attempts at a bucket without a row are all counted, so the caller must refuse
 * an attempt whose count is above the limit.
 */
export const countSignInAttempt = statement<
  {
    scopes: readonly string[];
    buckets: readonly number[];
    limits: readonly number[];
    window_seconds: number;
  },
  CountedAttempt
>(
  'count-sign-in-attempt',
  `WITH asked AS (
     SELECT * FROM unnest(:scopes::text[], :buckets::int[], :limits::int[]) AS asked (scope, bucket, most)
   ), kept AS MATERIALIZED (
     SELECT kept.scope, kept.attempts, kept.window_ends, asked.most
       FROM sign_in_attempts AS kept JOIN asked USING (scope, bucket)
      WHERE kept.window_ends > clock_timestamp()
      ORDER BY kept.scope, kept.bucket
        FOR UPDATE OF kept
   ), counted AS (
     INSERT INTO sign_in_attempts AS old (scope, bucket, attempts, window_ends)
     SELECT scope, bucket, 1, clock_timestamp() + :window_seconds::int * interval '1 second'
       FROM asked
      WHERE NOT EXISTS (SELECT FROM kept WHERE kept.attempts >= kept.most)
      ORDER BY scope, bucket
     ON CONFLICT (scope, bucket) DO UPDATE
       SET attempts = CASE WHEN old.window_ends > clock_timestamp() THEN old.attempts + 1 ELSE 1 END,
           window_ends = CASE WHEN old.window_ends > clock_timestamp() THEN old.window_ends ELSE EXCLUDED.window_ends END
     RETURNING old.scope, old.attempts, old.window_ends
   )
   SELECT scope, attempts, greatest(1, ceil(extract(epoch FROM window_ends - clock_timestamp())))::int AS retry_after_seconds
     FROM (SELECT scope, attempts, window_ends FROM counted
            UNION ALL
           SELECT scope, attempts + 1, window_ends FROM kept
            WHERE attempts >= most AND NOT EXISTS (SELECT FROM counted)) AS result`,
);

/** Takes back :counts attempts of each bucket. */
export const uncountSignInAttempt = statement<
  {
    scopes: readonly string[];
    buckets: readonly number[];
    counts: readonly number[];
  },
  never
>(
  'uncount-sign-in-attempt',
  `WITH taken AS (
     SELECT kept.scope, kept.bucket, asked.back
       FROM sign_in_attempts AS kept JOIN unnest(:scopes::text[], :buckets::int[], :counts::int[]) AS asked (scope, bucket, back) USING (scope, bucket)
      ORDER BY kept.scope, kept.bucket
        FOR UPDATE OF kept
   )
   UPDATE sign_in_attempts SET attempts = greatest(0, sign_in_attempts.attempts - taken.back)
     FROM taken
    WHERE sign_in_attempts.scope = taken.scope AND sign_in_attempts.bucket = taken.bucket`,
);

/** Expired counts. */
export const purgeSignInAttempts = statement<{ limit: number }, { bucket: number }>(
  'purge-sign-in-attempts',
  `DELETE FROM sign_in_attempts
    WHERE (scope, bucket) IN (SELECT scope, bucket FROM sign_in_attempts WHERE window_ends <= now()
                               ORDER BY window_ends LIMIT :limit FOR UPDATE SKIP LOCKED)
   RETURNING bucket`,
);
