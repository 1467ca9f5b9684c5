import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A sign-in in progress. It is kept in a cookie, so that any replica can finish it, but only in the same browser. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** A path of this server. */
  readonly returnTo: string;
  /** The account at the provider is connected with this user, instead of signing in. */
  readonly connect?: Connecting;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface Connecting {
  readonly userId: string;
  /** The hash of their session in base64url. It must not have ended. */
  readonly session: string;
}

export const PENDING_SECONDS = 10 * 60;

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts with the first key. */
export function sealSignIn(pending: PendingSignIn, keys: readonly Buffer[]): string {
  const [key] = keys;
  if (key === undefined) throw new Error('No key to encrypt a sign-in with.');
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  const bytes = [iv, cipher.update(JSON.stringify(pending)), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(bytes).toString('base64url');
}

/** Undefined: forged, encrypted with another key, or expired. */
export function openSignIn(
  sealed: string,
  keys: readonly Buffer[],
  now: number,
): PendingSignIn | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  for (const key of keys) {
    const iv = bytes.subarray(0, IV_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const plain = [decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()];
      const pending = JSON.parse(Buffer.concat(plain).toString()) as PendingSignIn;
      return pending.expiresAt > now ? pending : undefined;
    } catch {
      // Another key may fit.
    }
  }
  return undefined;
}
