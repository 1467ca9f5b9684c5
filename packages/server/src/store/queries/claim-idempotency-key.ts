import { statement } from '../statement.ts';

/**
 * Takes a key for this transaction. A row: it is ours, new or older than a day. None: it was used before; when
 * its user is still in a transaction, this waits for the end of it, and takes the key if that was rolled back.
 */
export const claimIdempotencyKey = statement<{ claimed: boolean }>(
  'claim-idempotency-key',
  `INSERT INTO idempotency_keys (user_id, key, request_hash) VALUES ($1, $2, $3)
   ON CONFLICT (user_id, key) DO UPDATE
      SET request_hash = excluded.request_hash, status = NULL, body = NULL, created_at = now()
    WHERE idempotency_keys.created_at < now() - interval '24 hours'
   RETURNING true AS claimed`,
);
