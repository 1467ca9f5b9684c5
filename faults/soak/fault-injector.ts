import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../deployment/deployment.ts';
import type { Counts, InjectedFault } from './counts.ts';
import type { SoakMachine } from './soak-machine.ts';

/** Index of the replica that is never restarted, so that its memory and handles show trends. */
export const STABLE_REPLICA = 0;

export interface FaultInjectorOptions {
  readonly deployment: Deployment;
  readonly machine: SoakMachine;
  readonly counts: Counts;
  readonly restartEveryMs: number;
  /** Undefined: never. */
  readonly crashEveryMs: number | undefined;
  readonly stop: AbortSignal;
  readonly now: () => number;
  readonly onFault: (what: InjectedFault, replica: string | undefined) => void;
}

/**
 * Restarts the other replicas in turn, alternating between SIGTERM and SIGKILL, and crashes PostgreSQL periodically. As
 * often as replicas are restarted, the machine is disconnected or killed.
 */
export async function injectFaults(options: FaultInjectorOptions): Promise<void> {
  const { restartEveryMs, crashEveryMs = Number.POSITIVE_INFINITY, stop, now } = options;
  let restarts = 0;
  let restartAt = now() + restartEveryMs;
  // Crash between two restarts, so that problems can be attributed.
  let crashAt = now() + crashEveryMs - restartEveryMs / 2;
  let machineFaults = 0;
  let machineAt = now() + restartEveryMs / 4;
  for (;;) {
    const next = Math.min(restartAt, crashAt, machineAt);
    await sleep(Math.max(0, next - now()), undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return;
    if (next === crashAt) {
      crashAt += crashEveryMs;
      await crash(options);
    } else if (next === machineAt) {
      machineAt += restartEveryMs;
      machineFaults += 1;
      await disturbMachine(options, machineFaults);
      // The users of the machine wait for it: no reason to delay other faults.
      continue;
    } else {
      restarts += 1;
      restartAt += restartEveryMs;
      await restart(options, restarts);
    }
    // If a restart takes long, leave time for progress before the next fault.
    const earliest = now() + restartEveryMs / 2;
    restartAt = Math.max(restartAt, earliest);
    crashAt = Math.max(crashAt, earliest);
  }
}

async function restart(options: FaultInjectorOptions, count: number): Promise<void> {
  const { deployment, counts, onFault } = options;
  const { members } = deployment;
  const member = members[1 + ((count - 1) % (members.length - 1))];
  if (member === undefined) throw new Error('there is no replica to restart');
  // Each replica is first stopped, then killed.
  const round = Math.floor((count - 1) / (members.length - 1));
  const fault = (count + round) % 2 === 1 ? 'SIGTERM' : 'kill -9';
  onFault(fault, member.replica.name);
  const [stable] = members;
  if (stable !== undefined) options.machine.routeTo(stable);
  if (fault === 'SIGTERM') await member.replica.stop();
  else await member.replica.kill();
  await deployment.replace(member);
  options.machine.routeTo(member);
  counts.add(fault);
}

async function disturbMachine(options: FaultInjectorOptions, count: number): Promise<void> {
  const { machine, counts, onFault } = options;
  const fault = count % 2 === 1 ? 'machine disconnected' : 'machine kill -9';
  onFault(fault, undefined);
  if (fault === 'machine disconnected') machine.disconnect();
  else await machine.restart();
  counts.add(fault);
}

async function crash({ deployment, counts, onFault }: FaultInjectorOptions): Promise<void> {
  onFault('PostgreSQL crash', undefined);
  await deployment.postgres.crash();
  await deployment.postgres.start();
  counts.add('PostgreSQL crash');
}
