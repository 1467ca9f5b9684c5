import type { WireRequest } from '../dialect.ts';
import type { Refusal } from '../refusal.ts';

/** A local server requires no key, unless it was started with one. */
export function authorize({ headers }: WireRequest, key: string | undefined): Refusal | undefined {
  return key === undefined || headers['authorization'] === `Bearer ${key}`
    ? undefined
    : { status: 401, message: 'Unauthorized' };
}
