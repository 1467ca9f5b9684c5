import { statement } from '../statement.ts';

/** In the transaction of the request itself: kept if and only if it took effect. */
export const keepAnswer = statement<never>(
  'keep-answer',
  `UPDATE idempotency_keys SET status = $3, body = $4 WHERE user_id = $1 AND key = $2`,
);
