/** A backup or restore failed. The message says what happened, the hint what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}
