import { setTimeout as sleep } from 'node:timers/promises';
import { Noise } from '../clients/noise.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { Counts } from './counts.ts';
import { addUser } from './users.ts';

export interface NoisyPeriods {
  readonly deployment: Deployment;
  readonly counts: Counts;
  readonly stop: AbortSignal;
  /** Time between noisy periods. */
  readonly quietMs: number;
  readonly noisyMs: number;
}

/** Low, because clients, replicas, and the database share one machine. */
const INTENSITY = 0.2;

/** Periodically adds a noisy member, and deletes them with all their chats afterwards. */
export async function makeNoise(options: NoisyPeriods): Promise<void> {
  const { deployment, counts, stop, quietMs, noisyMs } = options;
  const pause = (ms: number) => sleep(ms, undefined, { signal: stop }).catch(() => undefined);
  for (;;) {
    await pause(quietMs);
    if (stop.aborted) return;
    const { id, token } = await addUser(deployment.api);
    const noise = await Noise.start(deployment, { token, intensity: INTENSITY });
    await pause(noisyMs);
    for (const [response, count] of await noise.stop()) {
      counts.add(response.endsWith(' 429') ? 'noisy requests rejected' : 'noisy requests', count);
    }
    await deployment.api.delete(`/users/${id}`);
  }
}
