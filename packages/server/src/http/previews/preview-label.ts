import { createHmac, timingSafeEqual } from 'node:crypto';

/** What the host name of a preview gives access to. */
export interface PreviewClaim {
  readonly workspaceId: string;
  readonly port: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const CLAIM_BYTES = 22;
const MAC_BYTES = 16;
/** Two bits fewer than the limit of 63 characters of a host name allows. */
const LABEL = /^[a-z2-7]{61}$/;

/** The claim and its MAC as one label of a host name. */
export function signLabel(key: Buffer, claim: PreviewClaim): string {
  const bytes = Buffer.alloc(CLAIM_BYTES);
  bytes.write(claim.workspaceId.replaceAll('-', ''), 'hex');
  bytes.writeUInt16BE(claim.port, 16);
  bytes.writeUInt32BE(Math.floor(claim.expiresAt / 1000), 18);
  return base32(Buffer.concat([bytes, mac(key, bytes)]));
}

/** Undefined: the label was not signed with one of the keys, or has expired. */
export function readLabel(
  keys: readonly Buffer[],
  label: string,
  now: number,
): PreviewClaim | undefined {
  if (!LABEL.test(label)) return undefined;
  const all = fromBase32(label);
  const bytes = all.subarray(0, CLAIM_BYTES);
  const given = all.subarray(CLAIM_BYTES, CLAIM_BYTES + MAC_BYTES);
  if (!keys.some((key) => timingSafeEqual(given, mac(key, bytes)))) return undefined;
  const expiresAt = bytes.readUInt32BE(18) * 1000;
  if (expiresAt <= now) return undefined;
  const hex = bytes.toString('hex', 0, 16);
  const workspaceId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { workspaceId, port: bytes.readUInt16BE(16), expiresAt };
}

const mac = (key: Buffer, bytes: Buffer) =>
  createHmac('sha256', key).update(bytes).digest().subarray(0, MAC_BYTES);

function base32(bytes: Buffer): string {
  let text = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(value >>> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET[(value << (5 - bits)) & 31];
}

function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let value = 0;
  let bits = 0;
  for (const character of text) {
    value = (value << 5) | ALPHABET.indexOf(character);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >>> bits) & 255);
    value &= (1 << bits) - 1;
  }
  return Buffer.from(bytes);
}
