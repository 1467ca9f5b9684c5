import { setTimeout as sleep } from 'node:timers/promises';
import { inspectPostmaster } from './postmaster-pid.ts';
import { stopPostmaster } from './postmaster-stop.ts';
import { runPostmaster } from './postmaster.ts';
import type { PostmasterPlan, RunningPostmaster } from './postmaster.ts';
import { isPostmasterOf } from './process-identity.ts';
import { removeSocketDirectory } from './socket-directory.ts';

const LOOK_EVERY_MS = 500;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/** Keeps a server running until it is told to stop: one that was killed is started again, on the same socket. */
export function supervise(
  plan: PostmasterPlan,
  first: RunningPostmaster,
): { stop(): Promise<void> } {
  const { cluster, onProgress } = plan;
  const again = { ...plan, socketDirectory: first.socketDirectory };
  const stopping = new AbortController();
  let { pid } = first;

  const watch = async (): Promise<never> => {
    for (;;) {
      await ended(pid, cluster.dir, stopping.signal);
      onProgress(`PostgreSQL (pid ${pid}) is gone, its log is ${plan.logFile}; starting it again`);
      pid = await restart({ ...again, signal: stopping.signal });
    }
  };
  // It ends in one way only: by the abort of stop().
  const watching = watch().catch(() => undefined);

  return {
    async stop() {
      stopping.abort();
      await watching;
      await stopPostmaster(pid, cluster.dir);
      // One that another process started, or that was just coming up again.
      const found = await inspectPostmaster(cluster.dir);
      if ('file' in found) await stopPostmaster(found.file.pid, cluster.dir);
      await removeSocketDirectory(first.socketDirectory);
    },
  };
}

async function ended(pid: number, clusterDir: string, signal: AbortSignal): Promise<void> {
  while (isPostmasterOf(pid, clusterDir)) {
    // To watch is no reason to stay: a process that has nothing else to do may end.
    await sleep(LOOK_EVERY_MS, undefined, { ref: false, signal });
  }
  signal.throwIfAborted();
}

/** What kept it from starting may pass, a full disk for one. */
async function restart(plan: PostmasterPlan & { signal: AbortSignal }): Promise<number> {
  for (let delay = FIRST_RETRY_MS; ; delay = Math.min(2 * delay, LONGEST_RETRY_MS)) {
    try {
      return (await runPostmaster(plan)).pid;
    } catch (error) {
      plan.signal.throwIfAborted();
      plan.onProgress(`${String(error)}\nTrying again in ${delay / 1000} s`);
      await sleep(delay, undefined, { ref: false, signal: plan.signal });
    }
  }
}
