/** Why there is no backup, or why it was not restored. What happened is the message; what to do is the hint. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}
