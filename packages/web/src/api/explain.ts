import { ChatdProblem, ChatdUnreachable } from '@chatd/client';

/** The message to show for a failed call. */
export function explain(error: unknown): string {
  if (error instanceof ChatdProblem) return error.detail ?? error.title;
  if (error instanceof ChatdUnreachable) {
    return 'The server is unreachable. Nothing was changed. Try again when you are connected.';
  }
  return error instanceof Error ? error.message : String(error);
}
