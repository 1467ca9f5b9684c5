import { setTimeout as sleep } from 'node:timers/promises';
import { Noise } from '../clients/noise.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { Counts } from './counts.ts';
import { addUser } from './users.ts';

export interface NoisyPeriods {
  readonly deployment: Deployment;
  readonly counts: Counts;
  readonly stop: AbortSignal;
  /** Between two noisy periods. */
  readonly quietMs: number;
  readonly noisyMs: number;
}

/** The clients, the replicas and the database share one machine. */
const INTENSITY = 0.1;

/** A member who does everything expensive at once, for a while, and is then deleted with all their chats. */
export async function makeNoise(options: NoisyPeriods): Promise<void> {
  const { deployment, counts, stop, quietMs, noisyMs } = options;
  const pause = (ms: number) => sleep(ms, undefined, { signal: stop }).catch(() => undefined);
  for (;;) {
    await pause(quietMs);
    if (stop.aborted) return;
    const { id, token } = await addUser(deployment.api);
    const noise = await Noise.start(deployment, { token, intensity: INTENSITY });
    await pause(noisyMs);
    for (const [answer, count] of await noise.stop()) {
      counts.add(answer.endsWith(' 429') ? 'noisy requests refused' : 'noisy requests', count);
    }
    await deployment.api.delete(`/users/${id}`);
  }
}
