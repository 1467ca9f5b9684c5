import { createHash } from 'node:crypto';
import { isEventStream, type Route } from '@chatd/protocol';
import type { Database } from '../store/database.ts';
import {
  claimIdempotencyKey,
  findIdempotencyKey,
  keepAnswer,
  type KeptAnswer,
} from '../store/queries/idempotency-keys.ts';
import type { Transaction } from '../store/transaction.ts';
import type { Exchange } from './exchange.ts';
import { Refused } from '../chat/refused.ts';

export interface WrittenResponse {
  readonly status: number;
  readonly body: string | null;
}

/**
 * Routes that change data accept a key, except those with a secret or a stream in the response, and those whose work
 * takes more than one transaction.
 */
export const takesKey = (route: Route): boolean =>
  (route.method === 'post' || route.method === 'patch') &&
  route.secret !== true &&
  route.audit?.byHandler !== true &&
  !Object.values(route.answers).some(isEventStream);

export function idempotencyKeyOf(exchange: Exchange): string | undefined {
  const key = exchange.header('idempotency-key');
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Refused(
    'invalid_idempotency_key',
    'Idempotency-Key: must be 1 to 255 visible ASCII characters',
  );
}

/** Identifies a request by method, path, query, content type and body. */
export function requestHash(exchange: Exchange, body: Buffer | undefined): Buffer {
  return createHash('sha256')
    .update(`${exchange.method} ${exchange.path}${exchange.search}\n`)
    .update(`${exchange.header('content-type') ?? ''}\n`)
    .update(exchange.identity ?? body ?? '')
    .digest();
}

/**
 * The first request with a key does the work and stores its response in one transaction. Later requests get the stored
 * response; a concurrent one waits for it. A refusal rolls back the key, too.
 */
export async function once<A extends WrittenResponse>(
  database: Database,
  key: { readonly userId: string; readonly key: string; readonly hash: Buffer },
  work: (tx: Transaction) => Promise<A>,
): Promise<{ first: A } | { kept: WrittenResponse }> {
  return await database.transaction(async (tx) => {
    for (;;) {
      const [claimed] = await tx.query(claimIdempotencyKey, {
        user_id: key.userId,
        key: key.key,
        request_hash: key.hash,
      });
      if (claimed !== undefined) {
        const first = await work(tx);
        // Not awaited: it shares the round trip of COMMIT, which fails if this fails.
        tx.query(keepAnswer, {
          user_id: key.userId,
          key: key.key,
          status: first.status,
          body: first.body,
        }).catch(() => undefined);
        return { first };
      }
      const [kept] = await tx.query(findIdempotencyKey, { user_id: key.userId, key: key.key });
      // No row: it expired between the two statements.
      if (kept !== undefined) return { kept: sameRequest(kept, key.hash) };
    }
  });
}

function sameRequest(kept: KeptAnswer, hash: Buffer): WrittenResponse {
  if (kept.request_hash.equals(hash)) return kept;
  throw new Refused(
    'idempotency_key_reused',
    'This Idempotency-Key was used for a different request. Use a new key for each request.',
  );
}
