/** The database cannot be reached, or cannot take writes. Nothing is known to have been committed. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

const SQLSTATES = /^(08|53|57P0[1-5]|25006|58)/;
const SYSTEM = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const MESSAGES = /connection|timeout exceeded when trying to connect|not queryable/i;

/** Tells a database that is away from a statement that is wrong. */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const away =
    SYSTEM.has(code) || SQLSTATES.test(code) || (code === '' && MESSAGES.test(error.message));
  return away ? new DatabaseUnavailable('The database is not available', { cause: error }) : error;
}
