import type { ProblemCode } from '@chatd/protocol';

/**
 * Why a command was refused. Clients see problem codes. The last three codes are for runners only:
 * `lost_lease`: another runner has the chat; `obsolete`: the history or the attempt has changed since the work began;
 * `not_runnable`: the state of the chat leaves a runner nothing to do.
 */
export type RefusalCode = ProblemCode | 'lost_lease' | 'obsolete' | 'not_runnable';

export interface FieldError {
  readonly path: string;
  readonly message: string;
}

interface RefusalDetails {
  /** The invalid fields of the request. */
  readonly errors?: readonly FieldError[];
  /** The client can retry after this time. */
  readonly retryAfterSeconds?: number;
}

/** The one refusal type: every rule that a client can violate throws it. `http/problem.ts` turns it into a response. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: RefusalCode;
  readonly errors: readonly FieldError[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: RefusalCode, detail: string, details: RefusalDetails = {}) {
    super(detail);
    this.code = code;
    this.errors = details.errors ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** The same message for a missing resource and for one that the caller may not see. */
export const notFound = (): Refused => new Refused('not_found', 'Not found.');

/** The row of an entity that a concurrent request may have deleted. */
export function foundRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw notFound();
  return row;
}

export const limitReached = (detail: string, retryAfterSeconds: number): Refused =>
  new Refused('too_many_requests', detail, { retryAfterSeconds });

/** Refuses fields for reasons that the schema cannot express. */
export function refusedFields(
  errors: readonly FieldError[],
  code: ProblemCode = 'invalid_body',
): Refused {
  const { path = '', message = 'is not valid' } = errors[0] ?? {};
  const others = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : '';
  return new Refused(code, `${path}: ${message}${others}`, { errors });
}

export const refusedField = (path: string, message: string, code?: ProblemCode): Refused =>
  refusedFields([{ path, message }], code);
