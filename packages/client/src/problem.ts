import type { Problem, ProblemCode } from '@chatd/protocol';

/** The server refused. `code` is stable: compare it, not the texts, which are for people. */
export class ChatdProblem extends Error {
  override readonly name = 'ChatdProblem';
  /** That of HTTP. */
  readonly status: number;
  /** Of an answer that is not chatd's, as of a proxy in front of it: `unexpected_answer`. */
  readonly code: ProblemCode | 'unexpected_answer';
  /** The same for all refusals with this code. */
  readonly title: string;
  /** What was wrong this time. */
  readonly detail: string;
  /** Every field that was wrong. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** When the server asked to wait before trying again. */
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

/** The server was not reached, or the connection ended before the answer did. Whether it did the work is not known. */
export class ChatdUnreachable extends Error {
  override readonly name = 'ChatdUnreachable';

  constructor(url: string, cause: unknown) {
    super(`${url} cannot be reached: ${reasonOf(cause)}`, { cause });
  }
}

/** Node hides what happened (`ECONNREFUSED`) in the cause of a `fetch failed`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  return inner instanceof Error && inner.message !== '' ? inner.message : error.message;
}

/** The refusal that an answer is. */
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

/** Something answered that is not chatd. */
export function unexpected({ status, url }: Response, body: string): Omit<Problem, 'type'> {
  const excerpt = body.trim().slice(0, EXCERPT);
  return {
    status,
    code: 'unexpected_answer',
    title: 'The answer is not one of chatd',
    detail: `${url} answered ${status} with something that chatd does not say${excerpt === '' ? '' : `: ${excerpt}`}`,
  };
}

/** Seconds, or a date. */
function retryAfterOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
