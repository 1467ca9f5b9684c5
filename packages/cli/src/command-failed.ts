import { EXIT, type ExitCode } from './exit-codes.ts';

/** Ends a command early. The message says what failed, the hint what to do. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(exitCode: ExitCode, message: string, hint?: string) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

export const usageError = (message: string, hint?: string): CommandFailed =>
  new CommandFailed(EXIT.usage, message, hint);
