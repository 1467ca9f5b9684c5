export type PostgresErrorKind =
  | 'unsupported_platform'
  | 'unsupported_path'
  | 'unusable_directory'
  | 'unreachable_directory'
  | 'foreign_data_directory'
  | 'other_major_version'
  | 'initialisation_failed'
  | 'start_failed'
  | 'stop_failed';

/** The message says what happened, the hint what the operator can do. */
export class PostgresError extends Error {
  override readonly name = 'PostgresError';
  readonly kind: PostgresErrorKind;
  readonly hint: string;

  constructor(input: { kind: PostgresErrorKind; message: string; hint: string; cause?: unknown }) {
    super(input.message, input.cause === undefined ? undefined : { cause: input.cause });
    this.kind = input.kind;
    this.hint = input.hint;
  }
}
