import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from './error-code.ts';
import { PostgresError } from './postgres-error.ts';
import { isExiting, isPostmasterOf } from './process-identity.ts';

/** From graceful to forced. All keep every acknowledged commit; the later ones require recovery at the next start. */
export interface StopStep {
  readonly signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL';
  readonly patienceMs: number;
}

const STOP_STEPS: readonly StopStep[] = [
  { signal: 'SIGINT', patienceMs: 30_000 },
  { signal: 'SIGQUIT', patienceMs: 15_000 },
  { signal: 'SIGKILL', patienceMs: 15_000 },
];

const POLL_MS = 20;

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/** Verifies the process before each signal, because pids are reused. */
export async function stopPostmaster(
  pid: number,
  clusterDir: string,
  steps: readonly StopStep[] = STOP_STEPS,
): Promise<void> {
  for (const { signal, patienceMs } of steps) {
    if (!isPostmasterOf(pid, clusterDir)) return;
    sendSignal(pid, signal);
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline) {
      if (!isPostmasterOf(pid, clusterDir) && !isExiting(pid)) return;
      await sleep(POLL_MS);
    }
  }
  throw new PostgresError({
    kind: 'stop_failed',
    message: `PostgreSQL (pid ${pid}) did not stop, even after SIGKILL.`,
    hint: 'Its disk is probably not responding. The next start takes it over, or waits for it.',
  });
}
