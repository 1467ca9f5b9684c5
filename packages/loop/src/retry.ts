const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
/** A provider that asks for more than this is not waited for. */
const LONGEST_ASKED_MS = 5 * 60_000;

interface RetryQuestion {
  /** The attempt that failed; the first is 1. */
  attempt: number;
  maxAttempts: number;
  error: { retryable: boolean; retry_after_ms?: number };
}

/** How long to wait before the next attempt, or `give-up`. No jitter: the same for all. */
export function retryDelay({ attempt, maxAttempts, error }: RetryQuestion): number | 'give-up' {
  const asked = error.retry_after_ms ?? 0;
  if (!error.retryable || attempt >= maxAttempts || asked > LONGEST_ASKED_MS) return 'give-up';
  const doubled = FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 10);
  return Math.max(Math.min(doubled, LONGEST_DELAY_MS), asked);
}
