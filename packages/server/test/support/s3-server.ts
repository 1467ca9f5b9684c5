import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const KEY = 'AKIATEST';
const SECRET = 'a/secret+key=';
const REGION = 'eu-test-1';
const BUCKET = 'chatd-files';

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer =>
  createHmac('sha256', key).update(data).digest();

export interface FakeS3 {
  readonly url: string;
  readonly objects: ReadonlyMap<string, Buffer>;
  /** Answers every request with this status until it is undefined. */
  failWith: number | undefined;
  close(): Promise<void>;
}

/** Enough of the S3 protocol for objects. Checks the signature and the payload of every request, as S3 does. */
export async function startFakeS3(): Promise<FakeS3> {
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    void answer(request, response, objects, () => fake.failWith);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const credentials = `${KEY}:${encodeURIComponent(SECRET)}`;
  const fake: FakeS3 = {
    url: `http://${credentials}@127.0.0.1:${port}/${BUCKET}/chatd?region=${REGION}`,
    objects,
    failWith: undefined,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  objects: Map<string, Buffer>,
  failure: () => number | undefined,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const refuse = (status: number, code: string) => {
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
  };
  const failed = failure();
  if (failed !== undefined) return refuse(failed, 'InternalError');
  const problem = signatureProblem(request, body);
  if (problem !== undefined) return refuse(403, problem);
  const [, bucket, ...rest] = (request.url ?? '').split('/');
  if (bucket !== BUCKET) return refuse(404, 'NoSuchBucket');
  const key = rest.join('/');
  if (request.method === 'PUT') {
    objects.set(key, body);
    response.writeHead(200).end();
  } else if (request.method === 'DELETE') {
    objects.delete(key);
    response.writeHead(204).end();
  } else {
    const found = objects.get(key);
    if (found === undefined) refuse(404, 'NoSuchKey');
    else response.writeHead(200).end(found);
  }
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** AWS Signature Version 4, written from its specification. */
function signatureProblem({ headers, method, url }: IncomingMessage, body: Buffer) {
  const [, key, date = '', region, names = '', signature] =
    AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  if (key !== KEY) return 'InvalidAccessKeyId';
  if (region !== REGION) return 'AuthorizationHeaderMalformed';
  const hash = String(headers['x-amz-content-sha256']);
  if (hash !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const signed = names.split(';');
  if (!signed.includes('host') || !signed.includes('x-amz-content-sha256')) return 'AccessDenied';
  const time = String(headers['x-amz-date']);
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('');
  const canonical = [method, url, '', lines, names, hash].join('\n');
  const scope = `${date}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const secret = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${SECRET}`,
  );
  return hmac(secret, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}
