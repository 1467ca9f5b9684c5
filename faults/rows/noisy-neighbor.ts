import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Client } from 'pg';
import { fill, userId } from '../../bench/search/fill.ts';
import { Noise } from '../clients/noise.ts';
import type { Latencies } from '../clients/probe.ts';
import type { ProbeThreadData } from '../clients/probe-thread.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { ms, percentile } from '../statistics.ts';
import type { Outcome, Row, RowContext } from '../row.ts';
import { type Cluster, withCluster } from '../cluster.ts';

interface Scale {
  readonly messages: number;
  readonly quietMs: number;
  readonly noisyMs: number;
  /** Intensity of the noise. 1 is 500 streams, with all other requests in proportion. */
  readonly intensity: number;
}

const CHATS = 10_000;
const USERS = 100;
const PROBES = 4;
const INDEXED_MS = 30 * 60_000;
/** Maximum growth of the latencies of other members. */
const FACTOR = 3;
/** 32 running chats on each replica, each with several copies of a 5 MB response. */
const BOUND_MEGABYTES = 1000;
/** The default rate limit. */
const SETTINGS = { rate_limit: 6000, log_level: 'info' };

export const noisyNeighbor: Row = {
  name: 'one member sends all expensive requests at once',
  guarantee: `p99 of other members at most ${FACTOR} times the baseline; no lease is lost; bounded memory`,
  run: (context) =>
    runNoisyNeighbor(context, {
      messages: 1_000_000,
      quietMs: 60_000,
      noisyMs: 5 * 60_000,
      intensity: 1,
    }),
};

/** Measures the latencies of ordinary members, first without and then with a noisy member. */
export const runNoisyNeighbor = (
  { bus, postgres, log }: Pick<RowContext, 'bus' | 'postgres' | 'log'>,
  scale: Scale,
): Promise<Outcome> =>
  withCluster({ bus, postgres, discardRequests: true, settings: SETTINGS }, async (cluster) => {
    const { deployment } = cluster;
    const { urls } = deployment;
    await seed(deployment, scale.messages);
    log(`${scale.messages} messages`);
    await cluster.eventually('a complete search index', () => isIndexed(deployment), INDEXED_MS);
    const [noisyToken = '', ...tokens] = await Promise.all(
      Array.from({ length: PROBES + 1 }, (_, user) => tokenOf(deployment, user)),
    );
    // Warm-up.
    await measure({ urls, tokens, forMs: scale.quietMs / 4 });
    const quiet = await measure({ urls, tokens, forMs: scale.quietMs });
    const startedAt = Date.now();
    const memory = new PeakMemory(deployment);
    const noise = await Noise.start(deployment, { token: noisyToken, ...scale });
    const noisy = await measure({ urls, tokens, forMs: scale.noisyMs });
    const grown = Math.round(await memory.stop());
    for (const [response, count] of await noise.stop()) log(`${response}: ${count}`);
    const lost = await deployment.witness.takeovers(startedAt);
    cluster.expect(lost.length === 0, `${lost.length} chats were taken from a live owner`);
    cluster.expect(grown < BOUND_MEGABYTES, `memory grew by ${grown} MB`);
    for (const failure of noisy.failures.slice(0, 5)) cluster.expect(false, failure);
    const latencies = compare(cluster, quiet, noisy);
    await cluster.eventually('all chats are idle', async () => {
      if ((await deployment.witness.busyChats()).length === 0) return true;
      // Again, because accepted requests of the member may start chats after an interruption.
      await deployment.api.post(`/users/${userId(0)}/interrupt`, {});
      await sleep(1000);
      return false;
    });
    const { problems, late } = cluster;
    const figure = `${latencies}, lost leases ${lost.length}, memory +${grown} MB`;
    return { figure, problems, late };
  });

function compare(cluster: Cluster, quiet: Latencies, noisy: Latencies): string {
  const figures = (['send', 'open', 'firstToken'] as const).map((what) => {
    const before = percentile(quiet[what], 99);
    const during = percentile(noisy[what], 99);
    cluster.expectWithin(FACTOR * before, during, `p99 of ${what}`);
    return `${what} p99 ${ms(before)} → ${ms(during)} (n = ${noisy[what].length})`;
  });
  return figures.join(', ');
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

async function isIndexed({ witness }: Deployment): Promise<boolean> {
  return (await witness.query('SELECT FROM search_pending LIMIT 1')).length === 0;
}

async function tokenOf({ api }: Deployment, user: number): Promise<string> {
  const body = { name: 'noise', user_id: userId(user) };
  return (await api.post<{ token: string }>('/tokens', body)).token;
}

async function measure(workerData: ProbeThreadData): Promise<Latencies> {
  const url = new URL('../clients/probe-thread.ts', import.meta.url);
  const [latencies] = (await once(new Worker(url, { workerData }), 'message')) as [Latencies];
  return latencies;
}

/** Peak RSS over all replicas. */
class PeakMemory {
  readonly #stop = new AbortController();
  readonly #watched: Promise<number>;

  constructor(deployment: Deployment) {
    this.#watched = this.#watch(deployment);
  }

  /** Growth in MB. */
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
