import { statement } from '../statement.ts';

/**
 * Claims a key for this transaction: a new one, or one older than a day. No row: the key was used. If its transaction
 * is still open, waits for the end and claims the key after a rollback.
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

/** In the transaction of the request, so that the response is stored if and only if the request took effect. */
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
