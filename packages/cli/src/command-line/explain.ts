import { ChatdProblem, ChatdUnreachable } from '@chatd/client';
import { CommandFailed } from '../command-failed.ts';
import { EXIT } from '../exit-codes.ts';
import { oneLine } from '../output/terminal-text.ts';

export interface Explanation {
  readonly exitCode: number;
  /** What failed. */
  readonly message: string;
  /** What to do. */
  readonly hint?: string | undefined;
}

/** The message and the exit code for an error. */
export function explain(error: unknown): Explanation {
  if (error instanceof CommandFailed) {
    const { exitCode, message, hint } = error;
    return { exitCode, message, hint };
  }
  if (error instanceof ChatdProblem) {
    const fields = error.errors.map(({ path, message }) => `\n  ${path}: ${oneLine(message)}`);
    return {
      exitCode: EXIT.refused,
      message: `${oneLine(error.message)} (${error.code})${fields.join('')}`,
      hint: HINTS[error.code],
    };
  }
  if (error instanceof ChatdUnreachable) {
    return {
      exitCode: EXIT.unreachable,
      message: oneLine(error.message),
      hint: 'Start a server with chatd serve, or set its URL with --url, CHATD_URL or chatd login.',
    };
  }
  return {
    exitCode: EXIT.failed,
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

const HINTS: Partial<Record<string, string>> = {
  unauthenticated: 'Run chatd login, or set CHATD_TOKEN to a valid token.',
  token_expired: 'Run chatd login again.',
  insufficient_scope: 'Use a token with the required scope. See chatd token create --help.',
  admin_required: 'Log in as an admin, or ask one.',
  not_found: 'Check the ID. You may not have access to it.',
  host_not_allowed: 'Add the host name to CHATD_ALLOWED_HOSTS on the server.',
  chat_archived: 'Unarchive it first: chatd chats unarchive ID.',
  chat_active: 'Wait until its turn ends, or interrupt it.',
  queue_full: 'Wait until the chat has processed queued messages.',
  too_many_requests:
    'Wait, send fewer requests at the same time, or ask the operator to raise the limit: docs/limits.md.',
  unexpected_answer: 'Check that --url or CHATD_URL is the URL of a chatd server.',
};
