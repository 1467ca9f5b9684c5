import { createCipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';

export interface BrowserKeys {
  /** The public key of the browser (P-256), in base64url. */
  readonly p256dh: string;
  readonly auth: string;
}

/** Larger than any notification: there is one record. */
const RECORD_SIZE = 4096;
const DELIMITER = Buffer.of(2);

const derived = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array | string, size: number) =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, size));

/** Encrypts a message for a browser (RFC 8291), as one record with the content encoding `aes128gcm` (RFC 8188). */
export function encryptFor(
  { p256dh, auth }: BrowserKeys,
  message: string,
  salt: Buffer = randomBytes(16),
  keys: ECDH = newKeys(),
): Buffer {
  const theirs = Buffer.from(p256dh, 'base64url');
  const own = keys.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, own]);
  const secret = derived(keys.computeSecret(theirs), Buffer.from(auth, 'base64url'), info, 32);
  const key = derived(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derived(secret, salt, 'Content-Encoding: nonce\0', 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(RECORD_SIZE);
  head.writeUInt8(own.length, 4);
  return Buffer.concat([
    salt,
    head,
    own,
    cipher.update(Buffer.concat([Buffer.from(message), DELIMITER])),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

function newKeys(): ECDH {
  const keys = createECDH('prime256v1');
  keys.generateKeys();
  return keys;
}
