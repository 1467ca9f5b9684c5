import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Client } from 'pg';
import { fill, userId } from '../../bench/search/fill.ts';
import { Noise } from '../clients/noise.ts';
import type { Latencies } from '../clients/probe.ts';
import type { ProbeThreadData } from '../clients/probe-thread.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { NOTHING } from '../oracle/examined.ts';
import { percentile } from '../statistics.ts';
import { countRounds, type Outcome, type Row, type RowContext } from '../row.ts';
import { withCluster } from '../cluster.ts';

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
  chats: CHATS,
  hasFixedSize: true,
  runsAlone: true,
  seconds: { round: 65, setup: 300 },
  run: (context) =>
    runNoisyNeighbor(context, {
      messages: 1_000_000,
      quietMs: 20_000,
      noisyMs: 40_000,
      intensity: 1,
    }),
};

/** In each round, measures the latencies of ordinary members, first without and then with a noisy member. */
export const runNoisyNeighbor = (
  { bus, postgres, rounds, log }: RowContext,
  scale: Scale,
): Promise<Outcome> =>
  withCluster({ bus, postgres, settings: SETTINGS }, async (cluster) => {
    const { deployment } = cluster;
    const { urls, witness } = deployment;
    await seed(deployment, scale.messages);
    log(`${scale.messages} messages`);
    await cluster.eventually('a complete search index', () => isIndexed(deployment), INDEXED_MS);
    const [noisyToken = '', ...tokens] = await Promise.all(
      Array.from({ length: PROBES + 1 }, (_, user) => tokenOf(deployment, user)),
    );
    // Warm-up.
    await measure({ urls, tokens, forMs: scale.quietMs / 4 });
    const quiet: Latencies = { send: [], open: [], firstToken: [], failures: [] };
    const noisy: Latencies = { send: [], open: [], firstToken: [], failures: [] };
    let grown = 0;
    let lost = 0;
    for (const _ of countRounds({ rounds, log })) {
      addLatencies(quiet, await measure({ urls, tokens, forMs: scale.quietMs }));
      const startedAt = Date.now();
      const memory = new PeakMemory(deployment);
      const noise = await Noise.start(deployment, { token: noisyToken, ...scale });
      addLatencies(noisy, await measure({ urls, tokens, forMs: scale.noisyMs }));
      grown = Math.max(grown, Math.round(await memory.stop()));
      for (const [response, count] of await noise.stop()) log(`${response}: ${count}`);
      lost += (await witness.takeovers(startedAt)).length;
      await cluster.eventually('all chats are idle', async () => {
        if ((await witness.busyChats()).length === 0) return true;
        // Again, because accepted requests of the member may start chats after an interruption.
        await deployment.api.post(`/users/${userId(0)}/interrupt`, {});
        await sleep(1000);
        return false;
      });
    }
    for (const what of LATENCIES) {
      const limit = FACTOR * percentile(quiet[what], 99);
      cluster.expectWithin(limit, percentile(noisy[what], 99), `p99 of ${what}`);
    }
    cluster.expect(lost === 0, `${lost} chats were taken from a live owner`);
    cluster.expect(grown < BOUND_MEGABYTES, `memory grew by ${grown} MB`);
    for (const failure of noisy.failures) cluster.expect(false, failure, 'lost');
    for (const { id, status } of await witness.busyChats())
      cluster.expect(false, `chat ${id} is still ${status}`, 'stuck');
    const { problems, late } = cluster;
    const [counted] = await witness.query<{ chats: number }>(
      'SELECT count(*)::int AS chats FROM chats',
    );
    return {
      problems,
      late,
      examined: { ...NOTHING, chats: counted?.chats ?? 0, messages: noisy.send.length },
      times: Object.fromEntries(
        LATENCIES.flatMap((what) => [
          [`${what} before`, quiet[what]],
          [what, noisy[what]],
        ]),
      ),
      figures: [`lost leases ${lost}`, `memory +${grown} MB`],
    };
  });

const LATENCIES = ['send', 'open', 'firstToken'] as const;

function addLatencies(sum: Latencies, more: Latencies): void {
  for (const what of [...LATENCIES, 'failures'] as const) {
    (sum[what] as unknown[]).push(...more[what]);
  }
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
