import { type Problem, type ProblemCode, PROBLEMS } from '@chatd/protocol';
import { Refused } from '../chat/refused.ts';
import { LimitReached } from '../limits/limit-reached.ts';
import { StorageUnavailable } from '../store/files/object-storage.ts';
import { DatabaseUnavailable } from '../store/unavailable.ts';
import { RequestRefused } from './refusal.ts';

export interface ProblemAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Problem;
  /** Nobody foresaw it: it belongs into the log, whole. */
  readonly unexpected: boolean;
}

/** Headers that always go with a code, unless the refusal brings its own. */
const HEADERS: Partial<Record<string, Readonly<Record<string, string>>>> = {
  unauthenticated: { 'www-authenticate': 'Bearer realm="chatd"' },
  token_expired: { 'www-authenticate': 'Bearer realm="chatd", error="invalid_token"' },
  invalid_credentials: { 'www-authenticate': 'Bearer realm="chatd"' },
  invalid_sign_in_link: { 'www-authenticate': 'Bearer realm="chatd"' },
  queue_full: { 'retry-after': '5' },
  unavailable: { 'retry-after': '1' },
  // The rest of the body is not worth waiting for.
  body_too_large: { connection: 'close' },
  host_not_allowed: { connection: 'close' },
};

/** The one place where an error becomes an answer. Nothing of an unforeseen one gets out. */
export function asProblem(error: unknown): ProblemAnswer {
  if (error instanceof RequestRefused) {
    return answer(error.code, error.message, { errors: error.errors, headers: error.headers });
  }
  if (error instanceof Refused && isProblemCode(error.code)) {
    return answer(error.code, error.message);
  }
  if (error instanceof LimitReached) {
    const headers = { 'retry-after': String(error.retryAfterSeconds) };
    return answer('too_many_requests', error.message, { headers });
  }
  if (error instanceof StorageUnavailable) {
    return answer('unavailable', `${error.message}. Try again soon.`);
  }
  if (error instanceof DatabaseUnavailable) {
    return answer('unavailable', 'The database cannot be reached at the moment: try again soon.');
  }
  const internal = answer('internal', 'The server failed. Its log says more, by the X-Request-Id.');
  return { ...internal, unexpected: true };
}

/** Kinds of refusals that only runners know have no business here, and are no answers. */
const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(PROBLEMS, code);

function answer(
  code: ProblemCode,
  detail: string,
  more: Partial<Pick<RequestRefused, 'errors' | 'headers'>> = {},
): ProblemAnswer {
  const [status, title] = PROBLEMS[code];
  const { errors = [], headers = {} } = more;
  return {
    status,
    headers: { ...HEADERS[code], ...headers },
    body: {
      type: `urn:chatd:problem:${code}`,
      title,
      status,
      detail,
      code,
      ...(errors.length > 0 && { errors: [...errors] }),
    },
    unexpected: false,
  };
}
