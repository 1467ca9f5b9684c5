export type StartErrorKind =
  | 'usage'
  | 'port_taken'
  | 'cannot_listen'
  | 'database_unreachable'
  | 'database_unsupported'
  | 'bus_unreachable'
  | 'files_unavailable';

/** Why the server does not run. What happened is the message; what to do about it is the hint. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly kind: StartErrorKind;
  readonly hint: string;

  constructor(kind: StartErrorKind, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.hint = hint;
  }
}
