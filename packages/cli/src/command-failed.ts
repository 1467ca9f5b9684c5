import { EXIT, type ExitCode } from './exit-codes.ts';

/** Why a command ends early. What happened is the message; what to do about it is the hint. */
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

/** The command line is not one that we understand. */
export const usageError = (message: string, hint?: string): CommandFailed =>
  new CommandFailed(EXIT.usage, message, hint);
