import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) =>
  createHmac('sha256', key).update(text).digest();

/**
 * AWS Signature Version 4 of a GET. The package of Bedrock signs only POST, and the list of models is a GET.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
 */
export function signedHeaders(
  url: string,
  scope: { readonly region: string; readonly service: string; readonly now: Date },
  credentials: AwsCredentials,
): Record<string, string> {
  const { host, pathname, searchParams } = new URL(url);
  const time = scope.now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const headers: Record<string, string> = {
    host,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(headers).toSorted();
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join('');
  searchParams.sort();
  const request = [
    'GET',
    pathname,
    searchParams.toString().replaceAll('+', '%20'),
    lines,
    names.join(';'),
    sha256(''),
  ].join('\n');
  const credential = `${day}/${scope.region}/${scope.service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, credential, sha256(request)].join('\n');
  const key = [scope.region, scope.service, 'aws4_request'].reduce<Buffer>(
    hmac,
    hmac(`AWS4${secretAccessKey}`, day),
  );
  const signature = hmac(key, toSign).toString('hex');
  const { host: _, ...sent } = headers;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}
