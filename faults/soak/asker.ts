import { setTimeout as sleep } from 'node:timers/promises';
import { SPARED } from './disturber.ts';
import type { Surroundings } from './act.ts';

const POLL_MS = 500;
const PATIENCE_MS = 150_000;

/**
 * Waits until the replica is gone that has asked somebody about a call of this chat; false when that is the one which
 * nobody restarts, or nobody does for too long, or all is to end.
 */
export async function askerIsGone(
  chatId: string,
  { witness, deployment, stop }: Surroundings,
): Promise<boolean> {
  const [asked] = await witness.query<{ worker: string | null }>(
    `SELECT old_worker AS worker FROM witness.moves
      WHERE chat_id = $1 AND status = 'requires_action' AND old_status <> status
      ORDER BY n DESC LIMIT 1`,
    [chatId],
  );
  const worker = asked?.worker ?? undefined;
  const { members } = deployment;
  if (worker === undefined || members[SPARED]?.workerId === worker) return false;
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline && !stop.aborted) {
    if (!members.some((member) => member.workerId === worker && member.replica.isAlive))
      return true;
    await sleep(POLL_MS);
  }
  return false;
}
