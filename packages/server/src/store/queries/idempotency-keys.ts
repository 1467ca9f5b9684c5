import { statement } from '../statement.ts';

/**
 * Takes a key for this transaction. A row: it is ours, new or older than a day. None: it was used before; when
 * its user is still in a transaction, this waits for the end of it, and takes the key if that was rolled back.
 */
export const claimIdempotencyKey = statement<
  { user_id: string; key: string; request_hash: Buffer },
  { claimed: boolean }
>(
  'claim-idempotency-key',
  `INSERT INTO idempotency_keys (user_id, key, request_hash) VALUES (:user_id, :key, :request_hash)
   ON CONFLICT (user_id, key) DO UPDATE
      SET request_hash = excluded.request_hash, status = NULL, body = NULL, created_at = now()
    WHERE idempotency_keys.created_at < now() - interval '24 hours'
   RETURNING true AS claimed`,
);

export interface KeptAnswer {
  readonly request_hash: Buffer;
  readonly status: number;
  readonly body: string | null;
}

export const findIdempotencyKey = statement<{ user_id: string; key: string }, KeptAnswer>(
  'find-idempotency-key',
  `SELECT request_hash, status, body FROM idempotency_keys WHERE user_id = :user_id AND key = :key`,
);

/** In the transaction of the request itself: kept if and only if it took effect. */
export const keepAnswer = statement<
  {
    user_id: string;
    key: string;
    status: number;
    body: string | null;
  },
  never
>(
  'keep-answer',
  `UPDATE idempotency_keys SET status = :status, body = :body WHERE user_id = :user_id AND key = :key`,
);

export const purgeIdempotencyKeys = statement<{ limit: number }, { key: string }>(
  'purge-idempotency-keys',
  `DELETE FROM idempotency_keys
    WHERE (user_id, key) IN (SELECT user_id, key FROM idempotency_keys
                              WHERE created_at < now() - interval '24 hours'
                              ORDER BY created_at
                              LIMIT :limit
                                FOR UPDATE SKIP LOCKED)
   RETURNING key`,
);
