const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
/** If the provider asks for a longer delay, the turn fails. */
const LONGEST_ASKED_MS = 5 * 60_000;

interface RetryQuestion {
  /** The attempt that failed, starting at 1. */
  attempt: number;
  maxAttempts: number;
  error: { retryable: boolean; retry_after_ms?: number };
}

/** The delay before the next attempt, or `give-up`. No jitter. */
export function retryDelay({ attempt, maxAttempts, error }: RetryQuestion): number | 'give-up' {
  const asked = error.retry_after_ms ?? 0;
  if (!error.retryable || attempt >= maxAttempts || asked > LONGEST_ASKED_MS) return 'give-up';
  const doubled = FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 10);
  return Math.max(Math.min(doubled, LONGEST_DELAY_MS), asked);
}
