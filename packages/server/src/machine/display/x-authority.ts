import { randomBytes } from 'node:crypto';

const ANY_ADDRESS = 0xffff;
const COOKIE = 'MIT-MAGIC-COOKIE-1';

/** An Xauthority file that grants access to a display with any number. */
export function newXAuthority(secret: Uint8Array = randomBytes(16)): Buffer {
  return Buffer.concat([
    u16(ANY_ADDRESS),
    counted(Buffer.alloc(0)),
    counted(Buffer.alloc(0)),
    counted(Buffer.from(COOKIE, 'latin1')),
    counted(secret),
  ]);
}

const counted = (bytes: Uint8Array) => Buffer.concat([u16(bytes.length), bytes]);

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
