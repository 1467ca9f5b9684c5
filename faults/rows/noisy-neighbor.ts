import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Client } from 'pg';
import { Corpus } from '../../bench/search/corpus.ts';
import { fill, userId } from '../../bench/search/fill.ts';
import type { NoiseOrder } from '../clients/noisy-thread.ts';
import type { Latencies } from '../clients/probe.ts';
import type { ProbeOrder } from '../clients/probe-thread.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { ms, percentile } from '../figures.ts';
import type { Outcome, Row, Stage } from '../row.ts';
import { within } from '../scene.ts';

interface Noise {
  readonly messages: number;
  readonly quietMs: number;
  readonly noisyMs: number;
}

const CHATS = 10_000;
const USERS = 100;
const PROBES = 4;
/** Factor by which the latencies of the other members may grow. */
const FACTOR = 3;
const BOUND_MEGABYTES = 600;

export const noisyNeighbor: Row = {
  name: 'one member does everything expensive at once',
  mustHold: `p99 of other members stays within ${FACTOR} × of quiet; no lease is lost; bounded memory`,
  run: (stage) => disturb(stage, { messages: 1_000_000, quietMs: 60_000, noisyMs: 5 * 60_000 }),
};

/** Measures ordinary members alone, then beside a noisy one. */
export function disturb(
  { bus, postgres, say }: Pick<Stage, 'bus' | 'postgres' | 'say'>,
  { messages, quietMs, noisyMs }: Noise,
): Promise<Outcome> {
  return within(
    { bus, postgres, forgetful: true, settings: { rate_limit: 6000, log_level: 'info' } },
    async (scene) => {
      const { deployment } = scene;
      const { urls } = deployment;
      await seed(deployment, messages);
      say(`${messages} messages`);
      const [noisyToken = '', ...tokens] = await Promise.all(
        Array.from({ length: PROBES + 1 }, (_, user) => tokenOf(deployment, user)),
      );
      await measure({ urls, tokens, forMs: quietMs / 4 });
      const quiet = await measure({ urls, tokens, forMs: quietMs });
      const startedAt = Date.now();
      const memory = new PeakMemory(deployment);
      const words = new Corpus().words.slice(0, 20);
      const noise = await startNoise(deployment, { urls, token: noisyToken, words });
      const noisy = await measure({ urls, tokens, forMs: noisyMs });
      const grownMegabytes = await memory.stop();
      noise.postMessage('stop');
      const [answers] = (await once(noise, 'message')) as [Map<string, number>];
      for (const [answer, count] of [...answers].sort(([a], [b]) => a.localeCompare(b)))
        say(`${answer}: ${count}`);
      const lost = await deployment.witness.takeovers(startedAt);
      scene.expect(lost.length === 0, `${lost.length} chats were taken from a living owner`);
      scene.expect(
        grownMegabytes < BOUND_MEGABYTES,
        `memory grew by ${Math.round(grownMegabytes)} MB`,
      );
      for (const failure of noisy.failures.slice(0, 5)) scene.expect(false, failure);
      const figures = (['send', 'open', 'firstToken'] as const).map((what) => {
        const before = percentile(quiet[what], 99);
        const during = percentile(noisy[what], 99);
        scene.expectWithin(FACTOR * before, during, `p99 of ${what}`);
        return `${what} p99 ${ms(before)} → ${ms(during)} (of ${noisy[what].length})`;
      });
      await deployment.api.post(`/users/${userId(0)}/interrupt`, {});
      await scene.eventually(
        'all chats have come to rest',
        async () => (await deployment.witness.busyChats()).length === 0,
      );
      const { problems, late } = scene;
      const grown = `memory +${Math.round(grownMegabytes)} MB`;
      const figure = `${figures.join(', ')}, lost leases ${lost.length}, ${grown}`;
      return { figure, problems, late };
    },
  );
}

async function seed({ databaseUrl }: Deployment, messages: number): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await fill(client, { messages, chats: Math.min(CHATS, messages / 10), users: USERS });
  } finally {
    await client.end();
  }
}

async function tokenOf({ api }: Deployment, user: number): Promise<string> {
  const body = { name: 'noise', user_id: userId(user) };
  return (await api.post<{ token: string }>('/tokens', body)).token;
}

function startThread(name: string, order: NoiseOrder | ProbeOrder): Worker {
  return new Worker(new URL(`../clients/${name}.ts`, import.meta.url), { workerData: order });
}

async function startNoise(deployment: Deployment, order: NoiseOrder): Promise<Worker> {
  const noise = startThread('noisy-thread', order);
  const [url] = (await once(noise, 'message')) as [string];
  noise.postMessage(await deployment.addModel(url, { isDefault: false }));
  return noise;
}

async function measure(order: ProbeOrder): Promise<Latencies> {
  const [latencies] = (await once(startThread('probe-thread', order), 'message')) as [Latencies];
  return latencies;
}

/** Resident memory of the replica that has the most. */
class PeakMemory {
  readonly #stop = new AbortController();
  readonly #watched: Promise<number>;

  constructor(deployment: Deployment) {
    this.#watched = this.#watch(deployment);
  }

  /** How much it grew, in MB. */
  async stop(): Promise<number> {
    this.#stop.abort();
    return await this.#watched;
  }

  async #watch({ members }: Deployment): Promise<number> {
    const now = async () =>
      Math.max(...(await Promise.all(members.map(({ replica }) => replica.memoryMegabytes()))));
    const before = await now();
    let most = before;
    while (!this.#stop.signal.aborted) {
      most = Math.max(most, await now());
      await sleep(500);
    }
    return most - before;
  }
}
