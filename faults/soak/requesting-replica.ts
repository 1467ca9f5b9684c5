import { setTimeout as sleep } from 'node:timers/promises';
import { STABLE_REPLICA } from './fault-injector.ts';
import type { ActionContext } from './action.ts';

const POLL_MS = 500;
const TIMEOUT_MS = 150_000;

/**
 * Waits until the replica that requested an action in this chat has stopped. False if it is the one without restarts, after
 * a timeout, and at the end of the run.
 */
export async function requestingReplicaStopped(
  chatId: string,
  { witness, deployment, stop }: ActionContext,
): Promise<boolean> {
  const [request] = await witness.query<{ worker: string | null }>(
    `SELECT old_worker AS worker FROM witness.moves
      WHERE chat_id = $1 AND status = 'requires_action' AND old_status <> status
      ORDER BY n DESC LIMIT 1`,
    [chatId],
  );
  const worker = request?.worker ?? undefined;
  const { members } = deployment;
  if (worker === undefined || members[STABLE_REPLICA]?.workerId === worker) return false;
  const deadline = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadline && !stop.aborted) {
    if (!members.some((member) => member.workerId === worker && member.replica.isAlive))
      return true;
    await sleep(POLL_MS);
  }
  return false;
}
