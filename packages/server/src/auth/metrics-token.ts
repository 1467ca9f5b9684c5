import { timingSafeEqual } from 'node:crypto';
import { bearerSecret } from './bearer.ts';
import { hashSecret } from './secret.ts';

/** The operator's token for /metrics. The database, which knows all others, is not asked: it may be what is wrong. */
export class MetricsToken {
  readonly #hash: Buffer | undefined;

  constructor(token: string | undefined) {
    this.#hash = token === undefined ? undefined : hashSecret(token);
  }

  isShown(authorization: string | undefined): boolean {
    const secret = bearerSecret(authorization ?? '');
    if (this.#hash === undefined || secret === undefined) return false;
    // Hashes are of one length, and how alike two are says nothing of what they were made from.
    return timingSafeEqual(hashSecret(secret), this.#hash);
  }
}
