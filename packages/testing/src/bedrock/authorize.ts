import type { WireRequest } from '../dialect.ts';
import type { Refusal } from '../refusal.ts';
import { readSignature, signatureOf } from './signature.ts';

const INVALID: Refusal = {
  status: 403,
  message: 'The security token included in the request is invalid.',
  code: 'UnrecognizedClientException',
};

/** An API key as bearer token, or a signature. With signatures, the key of the fake service is `ID:SECRET`. */
export function authorize(request: WireRequest, key: string | undefined): Refusal | undefined {
  const given = request.headers['authorization'];
  if (!given) return { status: 403, message: 'Missing Authentication Token' };
  if (given.startsWith('Bearer ')) {
    return key === undefined || given === `Bearer ${key}` ? undefined : INVALID;
  }
  const signature = readSignature(given);
  if (signature === undefined || !request.headers['x-amz-date']) {
    return { status: 403, message: 'Authorization header is not in the correct format.' };
  }
  if (key === undefined) return undefined;
  const [id, secret = ''] = key.split(':');
  if (signature.accessKeyId !== id) return INVALID;
  return signatureOf(request, signature, secret) === signature.signature
    ? undefined
    : {
        status: 403,
        message:
          'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.',
        code: 'InvalidSignatureException',
      };
}
