import { Refused } from '../chat/refused.ts';

/** PostgreSQL canceled an API read because of its statement timeout. */
const QUERY_CANCELED = '57014';

export function asReadTimeout(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error.code !== QUERY_CANCELED)
    return error;
  return new Refused('query_timeout', 'The query took too long. Narrow it, or try again later.');
}
