import { ChatdProblem, ChatdUnreachable } from '@chatd/client';
import { explain } from '../../api/explain.ts';

export function whyNotUploaded(error: unknown): { reason: string; again: boolean } {
  if (error instanceof ChatdUnreachable) {
    return { reason: 'The server could not be reached.', again: true };
  }
  if (error instanceof ChatdProblem && error.code === 'body_too_large') {
    return { reason: 'Files may have 10 MiB at most.', again: false };
  }
  return { reason: explain(error), again: true };
}
