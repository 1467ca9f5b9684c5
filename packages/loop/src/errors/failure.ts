import type { ChatError } from '@chatd/protocol';

/** What the loop knows about an error: enough for every decision that follows from it. */
export interface Failure extends ChatError {
  retry_after_ms?: number;
  /** The prompt did not fit: a summary may help. */
  context_too_long?: boolean;
  /** The provider refused the request body: a different rendering of the history may help. */
  history_refused?: boolean;
}

/** What a person is told of it. */
export function chatError(failure: Failure): ChatError {
  const { message, detail, kind, provider, status_code, retryable } = failure;
  return {
    message,
    kind,
    retryable,
    ...(detail !== undefined && { detail }),
    ...(provider !== undefined && { provider }),
    ...(status_code !== undefined && { status_code }),
  };
}
