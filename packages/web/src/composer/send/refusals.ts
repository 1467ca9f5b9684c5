import { ChatdProblem, ChatdUnreachable } from '@chatd/client';
import { explain } from '../../api/explain.ts';
import type { NotSent } from '../../state/composer-state.ts';

const SENTENCES: Partial<Record<string, (problem: ChatdProblem) => NotSent>> = {
  queue_full: ({ detail }) => ({ text: detail, again: true }),
  chat_archived: () => ({
    text: 'This chat is archived and does not accept messages.',
    again: true,
    unarchive: true,
  }),
  body_too_large: () => ({
    text: 'The message is longer than 256 KiB. Cut the long part and paste it again to attach it as a file.',
    again: false,
  }),
  invalid_text: () => ({
    text: 'The text contains a character that cannot be stored. Remove unusual characters and try again.',
    again: false,
  }),
  unknown_file: () => ({
    text: 'An attached file no longer exists on the server. Remove it and attach it again.',
    again: false,
  }),
  unknown_model_config: () => ({
    text: 'The selected model is no longer available. Choose another model.',
    again: false,
  }),
  unknown_workspace: () => ({
    text: 'The selected workspace no longer exists. Choose another workspace.',
    again: false,
  }),
  unknown_project: () => ({
    text: 'The selected project no longer exists. Choose another project, or start the chat without one.',
    again: true,
  }),
  no_model_configured: () => ({
    text: 'All models are disabled. Ask an admin to enable one in the settings.',
    again: true,
  }),
  not_found: () => ({
    text: 'The chat or message no longer exists. It may have been deleted, or edited in another tab.',
    again: false,
  }),
  unauthenticated: () => ({
    text: 'You are signed out. Sign in again; your text is kept.',
    again: true,
  }),
  idempotency_key_reused: () => ({ text: 'Try again.', again: true }),
};

/** A refused request had no effect, so the next try is a new request. Otherwise it may have succeeded. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ChatdProblem && error.status < 500;

/** The server, or its database, does not answer. */
const isOutage = (error: unknown): boolean =>
  error instanceof ChatdUnreachable ||
  (error instanceof ChatdProblem && [502, 503, 504].includes(error.status));

export function whyNotSent(error: unknown): NotSent {
  if (isOutage(error)) {
    return {
      text: 'The server is unreachable. Your text is kept; a retry sends it only once.',
      again: true,
      offline: true,
    };
  }
  if (error instanceof ChatdProblem) {
    const known = SENTENCES[error.code]?.(error);
    if (known !== undefined) return known;
    return { text: explain(error), again: error.status >= 500 || error.status === 429 };
  }
  return { text: explain(error), again: true };
}
