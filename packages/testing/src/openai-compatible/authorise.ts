import type { WireRequest } from '../dialect.ts';
import type { Refusal } from '../refusal.ts';

/** A server on one's own machine asks for no key, unless it was started with one. */
export function authorise({ headers }: WireRequest, key: string | undefined): Refusal | undefined {
  return key === undefined || headers['authorization'] === `Bearer ${key}`
    ? undefined
    : { status: 401, message: 'Unauthorized' };
}
