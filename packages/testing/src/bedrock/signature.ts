import type { WireRequest } from '../dialect.ts';
import { createHash, createHmac } from 'node:crypto';

/** The content of an AWS Signature Version 4 header. */
interface Signature {
  accessKeyId: string;
  /** `DATE/REGION/SERVICE/aws4_request`. */
  scope: string;
  signedHeaders: string;
  signature: string;
}

const HEADER =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

export function readSignature(header: string): Signature | undefined {
  const [, accessKeyId = '', scope = '', signedHeaders = '', signature = ''] =
    HEADER.exec(header) ?? [];
  return signature === '' ? undefined : { accessKeyId, scope, signedHeaders, signature };
}

/** The expected signature for a secret. */
export function signatureOf(request: WireRequest, given: Signature, secret: string): string {
  const { scope, signedHeaders } = given;
  const toSign = [
    'AWS4-HMAC-SHA256',
    request.headers['x-amz-date'],
    scope,
    sha256(canonical(request, signedHeaders)),
  ].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, toSign).toString('hex');
}

function canonical({ method, path, query, headers, raw }: WireRequest, signed: string): string {
  const lines = signed
    .split(';')
    .map((name) => `${name}:${(headers[name] ?? '').trim().replace(/\s+/g, ' ')}\n`);
  return [method, escapedPath(path), query, lines.join(''), signed, sha256(raw)].join('\n');
}

/** The path is escaped once more than in the URL. */
function escapedPath(path: string): string {
  return encodeURIComponent(path)
    .replace(/%2F/g, '/')
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
