import { type Problem, type ProblemCode, PROBLEMS } from '@chatd/protocol';
import { Refused } from '../chat/refused.ts';
import { MachineOffline } from '../machine/machine.ts';
import { StorageUnavailable } from '../store/files/object-storage.ts';
import { DatabaseUnavailable } from '../store/unavailable.ts';
import { DATA_HEADERS } from './headers.ts';

type Headers = Readonly<Record<string, string>>;

export interface ProblemDetails {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Problem;
  /** Not a refusal but a failure of the server: log it with its stack. */
  readonly unexpected: boolean;
}

const HEADERS: Partial<Record<ProblemCode, Headers>> = {
  unauthenticated: { 'www-authenticate': 'Bearer realm="chatd"' },
  token_expired: { 'www-authenticate': 'Bearer realm="chatd", error="invalid_token"' },
  invalid_credentials: { 'www-authenticate': 'Bearer realm="chatd"' },
  invalid_sign_in_link: { 'www-authenticate': 'Bearer realm="chatd"' },
  queue_full: { 'retry-after': '5' },
  unavailable: { 'retry-after': '1' },
  upgrade_required: { upgrade: 'websocket', connection: 'upgrade' },
  // The rest of the body is not read.
  body_too_large: { connection: 'close' },
  host_not_allowed: { connection: 'close' },
};

/** The one place that turns errors into problems. The details of an unexpected error are only logged. */
export function asProblem(error: unknown): ProblemDetails {
  if (error instanceof Refused && isProblemCode(error.code)) {
    return problem(error.code, error.message, error);
  }
  if (error instanceof StorageUnavailable) {
    return problem('unavailable', `${error.message}. Try again soon.`);
  }
  if (error instanceof DatabaseUnavailable) {
    return problem('unavailable', 'The database is unavailable. Try again soon.');
  }
  // Disconnected after the workspace was opened.
  if (error instanceof MachineOffline) return problem('machine_offline', error.message);
  const internal = problem(
    'internal',
    'Internal error. The server log has details under this X-Request-Id.',
  );
  return { ...internal, unexpected: true };
}

export function problemResponse(
  { status, headers, body }: ProblemDetails,
  more: Headers,
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      ...DATA_HEADERS,
      'content-type': 'application/problem+json',
      ...headers,
      ...more,
    },
  });
}

/** Codes for runners never reach clients. */
const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(PROBLEMS, code);

function problem(
  code: ProblemCode,
  detail: string,
  { errors = [], retryAfterSeconds }: Partial<Pick<Refused, 'errors' | 'retryAfterSeconds'>> = {},
): ProblemDetails {
  const [status, title] = PROBLEMS[code];
  return {
    status,
    headers: {
      ...HEADERS[code],
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
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
