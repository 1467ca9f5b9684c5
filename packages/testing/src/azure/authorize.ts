import type { WireRequest } from '../dialect.ts';
import type { Refusal } from '../refusal.ts';
import { failure } from './errors.ts';

/** A key has its own header; a bearer token is an Entra token, never a key. */
export function authorize({ headers }: WireRequest, key: string | undefined): Refusal | undefined {
  const given = headers['api-key'] ?? headers['authorization']?.replace(/^Bearer /, '');
  return !given || (key !== undefined && given !== key) ? failure('bad-key') : undefined;
}
