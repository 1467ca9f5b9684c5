import type { ProblemCode } from '@chatd/protocol';

export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** A request that is refused at the door: its form is wrong, or it lacks a right. What chats refuse is `Refused`. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    detail: string,
    more: { errors?: readonly FieldError[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail);
    this.code = code;
    this.errors = more.errors ?? [];
    this.headers = more.headers ?? {};
  }
}

/** The same words for what is missing and for what the caller may not see. */
export const notFound = (): RequestRefused =>
  new RequestRefused('not_found', 'There is nothing here by that id.');
