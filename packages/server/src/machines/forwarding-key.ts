import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The header with which a replica proves that it belongs to the deployment. */
export const FORWARDING_HEADER = 'x-chatd-forwarding';

const WINDOW_MS = 30_000;
const NONCES = 100_000;

interface Claim {
  readonly machineId: string;
  /** The replica that holds the machine. */
  readonly replicaId: string;
}

/**
 * Authenticates connections between replicas: a MAC over the machine, the replica that holds it, the time, and a nonce.
 * Derived from CHATD_SECRET_KEY. The first key signs, all verify.
 */
export class ForwardingKey {
  readonly #keys: readonly Buffer[];
  /** By the time at which they expire. */
  readonly #nonces = new Map<string, number>();

  constructor(keys: readonly Buffer[]) {
    this.#keys = keys;
  }

  /** `now` is the time of the database, because the clocks of replicas may differ. */
  sign(claim: Claim, now: Date): string {
    const [key] = this.#keys;
    if (key === undefined) {
      throw new Error(
        'Replicas cannot use the machines of other replicas without a shared key. Set CHATD_SECRET_KEY to the same value on all replicas.',
      );
    }
    const time = String(now.getTime());
    const nonce = randomBytes(16).toString('base64url');
    return `${time}.${nonce}.${mac(key, claim, time, nonce).toString('base64url')}`;
  }

  /** Undefined: the header is valid. Otherwise, why it is not. Each is accepted once. Needs the time only for a valid MAC. */
  async problemWith(
    header: string | undefined,
    claim: Claim,
    readTime: () => Promise<Date>,
  ): Promise<string | undefined> {
    const [time = '', nonce = '', sent = ''] = (header ?? '').split('.');
    const given = Buffer.from(sent, 'base64url');
    const matches = this.#keys.some((key) => {
      const expected = mac(key, claim, time, nonce);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
    if (!matches) return 'CHATD_SECRET_KEY differs between the replicas';
    const now = (await readTime()).getTime();
    if (Math.abs(now - Number(time)) > WINDOW_MS) return 'the request has expired';
    for (const [old, until] of this.#nonces) {
      if (until > now && this.#nonces.size < NONCES) break;
      this.#nonces.delete(old);
    }
    if (this.#nonces.has(nonce)) return 'the request was repeated';
    this.#nonces.set(nonce, now + 2 * WINDOW_MS);
    return undefined;
  }
}

function mac(key: Buffer, claim: Claim, time: string, nonce: string): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([claim.machineId, claim.replicaId, time, nonce]))
    .digest();
}
