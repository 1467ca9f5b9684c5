import { statement } from '../statement.ts';

export interface KeptAnswer {
  readonly request_hash: Buffer;
  readonly status: number;
  readonly body: string | null;
}

export const findIdempotencyKey = statement<KeptAnswer>(
  'find-idempotency-key',
  `SELECT request_hash, status, body FROM idempotency_keys WHERE user_id = $1 AND key = $2`,
);
