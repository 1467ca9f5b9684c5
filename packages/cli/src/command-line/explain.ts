import { ChatdProblem, ChatdUnreachable } from '@chatd/client';
import { CommandFailed } from '../command-failed.ts';
import { EXIT } from '../exit-codes.ts';
import { oneLine } from '../output/terminal-text.ts';

export interface Explanation {
  readonly exitCode: number;
  /** What happened. */
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
}

/** What people are told about an error, and how the program ends. */
export function explain(error: unknown): Explanation {
  if (error instanceof CommandFailed) {
    const { exitCode, message, hint } = error;
    return { exitCode, message, ...(hint !== undefined && { hint }) };
  }
  if (error instanceof ChatdProblem) return explainProblem(error);
  if (error instanceof ChatdUnreachable) {
    return {
      exitCode: EXIT.unreachable,
      message: oneLine(error.message),
      hint: 'Is it running? Start one with chatd serve, or say where it is: --url, CHATD_URL or chatd login.',
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
  insufficient_scope:
    'Use a token with more scopes; chatd token create --help says which there are.',
  admin_required: 'Ask an admin, or log in as one.',
  not_found: 'It does not exist, or it is not yours. Check the id.',
  host_not_allowed: 'Start the server with CHATD_ALLOWED_HOSTS set to the name you use.',
  chat_archived: 'Bring it back first: chatd chats unarchive ID.',
  chat_active: 'Wait for its turn to end, or interrupt it.',
  queue_full: 'Wait until some of its messages were answered.',
  too_many_requests:
    'Wait, send fewer requests at the same time, or ask the operator to raise the limit: docs/limits.md.',
  unexpected_answer: 'Is that address a chatd? Check --url or CHATD_URL.',
};

function explainProblem(problem: ChatdProblem): Explanation {
  const fields = problem.errors.map(({ path, message }) => `\n  ${path}: ${oneLine(message)}`);
  const hint = HINTS[problem.code];
  return {
    exitCode: EXIT.refused,
    message: `${oneLine(problem.message)} (${problem.code})${fields.join('')}`,
    ...(hint !== undefined && { hint }),
  };
}
