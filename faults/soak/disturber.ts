import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../deployment/deployment.ts';
import type { Counts, Disturbance } from './counts.ts';

/** The replica that nobody restarts: what its memory and its handles do over hours means something. */
export const SPARED = 0;

export interface DisturberOptions {
  readonly deployment: Deployment;
  readonly counts: Counts;
  readonly restartEveryMs: number;
  /** Undefined: PostgreSQL is left alone. */
  readonly crashEveryMs: number | undefined;
  readonly stop: AbortSignal;
  readonly now: () => number;
  readonly onDisturbance: (what: Disturbance, replica: string | undefined) => void;
}

/** Restarts one replica after the other, once politely, once not, and crashes PostgreSQL now and then. */
export async function disturb(options: DisturberOptions): Promise<void> {
  const { restartEveryMs, crashEveryMs = Number.POSITIVE_INFINITY, stop, now } = options;
  let restarts = 0;
  let restartAt = now() + restartEveryMs;
  // Between two restarts, so that it is known what was disturbed by what.
  let crashAt = now() + crashEveryMs - restartEveryMs / 2;
  for (;;) {
    const next = Math.min(restartAt, crashAt);
    await sleep(Math.max(0, next - now()), undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return;
    if (next === crashAt) {
      crashAt += crashEveryMs;
      await crash(options);
    } else {
      restarts += 1;
      restartAt += restartEveryMs;
      await restart(options, restarts);
    }
    // Where a restart takes longer than that, something must get done before the next all the same.
    const calm = now() + restartEveryMs / 2;
    restartAt = Math.max(restartAt, calm);
    crashAt = Math.max(crashAt, calm);
  }
}

async function restart(options: DisturberOptions, turn: number): Promise<void> {
  const { deployment, counts, onDisturbance } = options;
  const { members } = deployment;
  const member = members[1 + ((turn - 1) % (members.length - 1))];
  if (member === undefined) throw new Error('there is no replica to restart');
  // Each replica in turn is first stopped, the next time killed.
  const round = Math.floor((turn - 1) / (members.length - 1));
  const how = (turn + round) % 2 === 1 ? 'SIGTERM' : 'kill -9';
  onDisturbance(how, member.replica.name);
  if (how === 'SIGTERM') await member.replica.stop();
  else await member.replica.kill();
  await deployment.replace(member);
  counts.add(how);
}

async function crash({ deployment, counts, onDisturbance }: DisturberOptions): Promise<void> {
  onDisturbance('PostgreSQL crash', undefined);
  await deployment.postgres.crash();
  await deployment.postgres.start();
  counts.add('PostgreSQL crash');
}
