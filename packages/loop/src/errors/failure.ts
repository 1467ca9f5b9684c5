import type { ChatError } from '@chatd/protocol';

/** A classified error, with everything that later decisions need. */
export interface Failure extends ChatError {
  retry_after_ms?: number;
  /** The prompt was too long: a summary may help. */
  context_too_long?: boolean;
  /** The provider rejected the request body: a different rendering of the history may help. */
  history_refused?: boolean;
}

/** The part of a failure that users see. */
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
