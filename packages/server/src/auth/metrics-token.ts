import { timingSafeEqual } from 'node:crypto';
import { bearerSecret, hashSecret } from './secret.ts';

/** The token of the operator for /metrics. Checked without the database, so that it works during an outage. */
export class MetricsToken {
  readonly #hash: Buffer | undefined;

  constructor(token: string | undefined) {
    this.#hash = token === undefined ? undefined : hashSecret(token);
  }

  matches(authorization: string | undefined): boolean {
    const secret = bearerSecret(authorization ?? '');
    if (this.#hash === undefined || secret === undefined) return false;
    // Hashes have the same length, as timingSafeEqual requires.
    return timingSafeEqual(hashSecret(secret), this.#hash);
  }
}
