import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '../store/unavailable.ts';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;

/** Retries until the database answers or the signal aborts. `again`: an earlier try may have been committed. */
export async function untilAnswered<T>(
  signal: AbortSignal,
  ask: (again: boolean) => Promise<T>,
): Promise<T> {
  for (let wait = 0; ; wait = Math.min(Math.max(wait * 2, FIRST_WAIT_MS), LONGEST_WAIT_MS)) {
    if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    try {
      return await ask(wait > 0);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
    }
  }
}
