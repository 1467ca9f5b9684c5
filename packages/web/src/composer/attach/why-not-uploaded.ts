import { ChatdProblem, ChatdUnreachable } from '@chatd/client';
import { explain } from '../../api/explain.ts';

export function whyNotUploaded(error: unknown): { reason: string; again: boolean } {
  if (error instanceof ChatdUnreachable) {
    return { reason: 'The server is unreachable.', again: true };
  }
  if (error instanceof ChatdProblem && error.code === 'body_too_large') {
    return { reason: 'The limit for files is 10 MiB.', again: false };
  }
  return { reason: explain(error), again: true };
}
