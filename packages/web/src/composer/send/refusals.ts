import { ChatdProblem, ChatdUnreachable } from '@chatd/client';
import { explain } from '../../api/explain.ts';
import type { NotSent } from '../../state/composing.ts';

const SENTENCES: Partial<Record<string, (problem: ChatdProblem) => NotSent>> = {
  queue_full: ({ detail }) => ({ text: detail, again: true }),
  chat_archived: () => ({
    text: 'The chat has been archived, so it takes no messages.',
    again: true,
    unarchive: true,
  }),
  body_too_large: () => ({
    text: 'The message is longer than 256 KiB. Put the long part into a file: cut it out and paste it again.',
    again: false,
  }),
  invalid_text: () => ({
    text: 'The text holds a character that cannot be stored. Paste it into a plain text editor first, or remove what looks odd.',
    again: false,
  }),
  unknown_file: () => ({
    text: 'A file of this message is not on the server any more. Remove it and attach it again.',
    again: false,
  }),
  unknown_model_config: () => ({
    text: 'The model that you chose is not offered any more. Choose another one.',
    again: false,
  }),
  unknown_workspace: () => ({
    text: 'The workspace that you chose is gone. Choose another one.',
    again: false,
  }),
  no_model_configured: () => ({
    text: 'All models are disabled. An admin has to enable one in the settings.',
    again: true,
  }),
  not_found: () => ({
    text: 'It is not there any more: it may have been deleted, or edited in another tab.',
    again: false,
  }),
  unauthenticated: () => ({
    text: 'You are signed out. Sign in again; the text is kept here.',
    again: true,
  }),
  idempotency_key_reused: () => ({ text: 'Try again.', again: true }),
};

/** The server has refused, and so has done nothing: the next try is a new request. Otherwise it may have been done. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ChatdProblem && error.status < 500;

export function whyNotSent(error: unknown): NotSent {
  if (error instanceof ChatdUnreachable) {
    return {
      text: 'The server could not be reached. The text is kept; trying again sends it only once.',
      again: true,
    };
  }
  if (error instanceof ChatdProblem) {
    const known = SENTENCES[error.code]?.(error);
    if (known !== undefined) return known;
    return { text: explain(error), again: error.status >= 500 || error.status === 429 };
  }
  return { text: explain(error), again: true };
}
