import { statement } from '../statement.ts';

export const purgeIdempotencyKeys = statement<{ key: string }>(
  'purge-idempotency-keys',
  `DELETE FROM idempotency_keys
    WHERE (user_id, key) IN (SELECT user_id, key FROM idempotency_keys
                              WHERE created_at < now() - interval '24 hours'
                              ORDER BY created_at
                              LIMIT $1
                                FOR UPDATE SKIP LOCKED)
   RETURNING key`,
);
