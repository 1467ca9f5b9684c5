import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';

/** A P-256 key pair in base64url: the uncompressed point, and the scalar. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

const LIFETIME_MS = 12 * 60 * 60 * 1000;

export function newVapidKeys(): VapidKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  const point = [Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  return { publicKey: Buffer.concat(point).toString('base64url'), privateKey: d };
}

/** The Authorization header that identifies this deployment to a push service (RFC 8292). */
export function vapidHeader(
  { publicKey, privateKey }: VapidKeys,
  endpoint: string,
  contact: string,
  now: number,
): string {
  const point = Buffer.from(publicKey, 'base64url');
  const coordinate = (from: number) => point.subarray(from, from + 32).toString('base64url');
  const key = createPrivateKey({
    key: { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33), d: privateKey },
    format: 'jwk',
  });
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor((now + LIFETIME_MS) / 1000),
    sub: contact,
  };
  const text = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${text}.${signature.toString('base64url')}, k=${publicKey}`;
}
