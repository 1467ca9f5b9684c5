import { ChatdProblem, ChatdUnreachable } from '@chatd/client';

/** An error of a call as a sentence for a person. */
export function explain(error: unknown): string {
  if (error instanceof ChatdProblem) return error.detail ?? error.title;
  if (error instanceof ChatdUnreachable) {
    return 'The server cannot be reached. Nothing was changed; try again when you are connected.';
  }
  return error instanceof Error ? error.message : String(error);
}
