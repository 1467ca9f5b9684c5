import { DatabaseError } from 'pg';

/**
 * The database cannot be reached, or cannot run the statement now; the caller can retry. Whether a COMMIT that was sent
 * took effect is unknown.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  /** The SQLSTATE or the system error code. */
  readonly code: string;

  constructor(message?: string, options: ErrorOptions & { readonly code?: string } = {}) {
    super(message, options);
    this.code = options.code ?? '';
  }
}

/**
 * Connection errors (08), a read-only server (25006), ended idle and long transactions (25P03, 25P04), serialization
 * failures and deadlocks (40001, 40P01), missing resources (53), lock timeouts (55P03), canceled statements (57014),
 * shutdowns (57P0x) and I/O errors (58).
 */
const SQLSTATES = /^(08|25006|25P0[34]|40001|40P01|53|55P03|57014|57P0[1-5]|58)/;
/** The server ended the session by an internal error, such as a cache file that it cannot write to a full disk. */
const INTERNAL = /^XX/;
const SESSION_ENDED = new Set(['FATAL', 'PANIC']);
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
const MESSAGES =
  /connection|timeout exceeded when trying to connect|query read timeout|not queryable/i;

/** Converts transient errors to `DatabaseUnavailable` and returns all others unchanged. */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const severity = error instanceof DatabaseError ? error.severity : undefined;
  const away =
    SYSTEM.has(code) ||
    SQLSTATES.test(code) ||
    (INTERNAL.test(code) && SESSION_ENDED.has(severity ?? '')) ||
    (code === '' && MESSAGES.test(error.message));
  if (!away) return error;
  return new DatabaseUnavailable('The database is not available', { cause: error, code });
}
