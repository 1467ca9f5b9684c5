import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto';
import type { Received } from './receiver.ts';

/** A browser with a push subscription, which can decrypt its messages (RFC 8291, RFC 8188). */
export function subscribedBrowser(endpoint: string) {
  const keys = createECDH('prime256v1');
  const own = keys.generateKeys();
  const auth = Buffer.alloc(16, 5);
  const decrypted = ({ body }: Received) => {
    const [salt, length] = [body.subarray(0, 16), body.readUInt8(20)];
    const theirs = body.subarray(21, 21 + length);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), own, theirs]);
    const secret = Buffer.from(hkdfSync('sha256', keys.computeSecret(theirs), auth, info, 32));
    const derive = (name: string, size: number) =>
      Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${name}\0`, size));
    const sealed = body.subarray(21 + length);
    const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    decipher.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    // The delimiter 2 ends the last record.
    return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString()) as unknown;
  };
  const subscription = {
    endpoint,
    expirationTime: null,
    keys: { p256dh: own.toString('base64url'), auth: auth.toString('base64url') },
  };
  return { subscription, decrypted };
}
