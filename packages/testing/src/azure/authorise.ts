import type { WireRequest } from '../dialect.ts';
import type { Refusal } from '../refusal.ts';
import { failure } from './errors.ts';

/** A key goes into a header of its own; a bearer is a token of Entra, never a key. */
export function authorise({ headers }: WireRequest, key: string | undefined): Refusal | undefined {
  const given = headers['api-key'] ?? headers['authorization']?.replace(/^Bearer /, '');
  return !given || (key !== undefined && given !== key) ? failure('bad-key') : undefined;
}
