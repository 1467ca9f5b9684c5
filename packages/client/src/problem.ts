import type { Problem, ProblemCode } from '@chatd/protocol';

/** An error response of the server. `code` is stable; compare it instead of the texts. */
export class ChatdProblem extends Error {
  override readonly name = 'ChatdProblem';
  /** HTTP status. */
  readonly status: number;
  /** `unexpected_answer`: the response is not from chatd, but for example from a proxy. */
  readonly code: ProblemCode | 'unexpected_answer';
  /** Title of the problem. The same for every occurrence of the code. */
  readonly title: string;
  /** What is wrong with this request. */
  readonly detail: string;
  /** All invalid fields. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** Delay that the server asks for before a retry. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: Omit<Problem, 'type'>, retryAfterMs?: number) {
    super(problem.detail === '' ? problem.title : problem.detail);
    this.status = problem.status;
    this.code = problem.code as ChatdProblem['code'];
    this.title = problem.title;
    this.detail = problem.detail;
    this.errors = problem.errors ?? [];
    this.retryAfterMs = retryAfterMs;
  }
}

/** The server is unreachable, or the connection ended before the response did. The request may have taken effect. */
export class ChatdUnreachable extends Error {
  override readonly name = 'ChatdUnreachable';

  constructor(url: string, cause: unknown) {
    super(`${originOf(url)} cannot be reached: ${reasonOf(cause)}`, { cause });
  }
}

/** The server. The path and the cursor of a stream would hide the reason. */
const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

/** Node puts the reason (`ECONNREFUSED`) into the cause of a `fetch failed`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  return inner instanceof Error && inner.message !== '' ? inner.message : error.message;
}

export function problemOf(response: Response, body: string, now: number): ChatdProblem {
  const retryAfterMs = retryAfterOf(response.headers.get('retry-after'), now);
  const problem = response.headers.get('content-type')?.startsWith('application/problem+json')
    ? parsedProblem(body)
    : undefined;
  return new ChatdProblem(problem ?? unexpected(response, body), retryAfterMs);
}

function parsedProblem(body: string): Problem | undefined {
  try {
    const problem = JSON.parse(body) as Partial<Problem> | null;
    return typeof problem?.code === 'string' ? (problem as Problem) : undefined;
  } catch {
    return undefined;
  }
}

const EXCERPT = 200;

export function unexpected({ status, url }: Response, body: string): Omit<Problem, 'type'> {
  const excerpt = body.trim().slice(0, EXCERPT);
  return {
    status,
    code: 'unexpected_answer',
    title: 'Unexpected response',
    detail: `${url} responded with status ${status}, but not as chatd does${excerpt === '' ? '' : `: ${excerpt}`}`,
  };
}

/** Retry-After: seconds or a date. */
function retryAfterOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
