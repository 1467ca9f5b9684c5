import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Corpus } from '../../bench/search/corpus.ts';
import { fill, userId } from '../../bench/search/fill.ts';
import { Api } from '../clients/api.ts';
import { NoisyMember } from '../clients/noisy-member.ts';
import { type Latencies, probe } from '../clients/probe.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { ms, percentile } from '../figures.ts';
import type { Row } from '../row.ts';
import { type Scene, within } from '../scene.ts';

interface Noise {
  readonly messages: number;
  readonly quietMs: number;
  readonly noisyMs: number;
}

const NOISE: Noise = { messages: 1_000_000, quietMs: 60_000, noisyMs: 5 * 60_000 };
const CHATS = 10_000;
const USERS = 100;
const PROBES = 4;
/** Latencies of the others may grow by this factor, or to what nobody notices. */
const FACTOR = 3;
const UNNOTICED_MS = 100;
const BOUND_MEGABYTES = 600;
const REST_MS = 5 * 60_000;

export const noisyNeighbor: Row = {
  name: 'one member does everything expensive at once',
  mustHold: `the others' p99 stays within ${FACTOR} × of quiet; no lease is lost; bounded memory`,
  run: ({ bus, postgres, say }) =>
    within({ bus, postgres, forgetful: true }, (scene) => disturb(scene, NOISE, say)),
};

/** Measures ordinary members alone, then beside a noisy one. */
async function disturb(scene: Scene, noise: Noise, say: (line: string) => void) {
  const { deployment } = scene;
  await seed(deployment, noise.messages);
  const [noisy, ...others] = await Promise.all(
    Array.from({ length: PROBES + 1 }, (_, user) => memberApi(deployment, user)),
  );
  if (noisy === undefined) throw new Error('no member');
  const quiet = await measure(others, noise.quietMs);
  const memoryBefore = await memory(deployment);
  const startedAt = Date.now();
  const member = new NoisyMember(noisy, new Corpus().words.slice(0, 20));
  await member.start();
  let most = memoryBefore;
  const watching = new AbortController();
  const watch = (async () => {
    while (!watching.signal.aborted) {
      most = Math.max(most, await memory(deployment));
      await sleep(500);
    }
  })();
  const loud = await measure(others, noise.noisyMs);
  watching.abort();
  await watch;
  await member.stop();
  for (const [answer, count] of [...member.answers].sort(([a], [b]) => a.localeCompare(b)))
    say(`${answer}: ${count}`);
  const lost = await deployment.witness.takeovers(startedAt);
  scene.expect(lost.length === 0, `${lost.length} chats were taken from a living owner`);
  scene.expect(
    most - memoryBefore < BOUND_MEGABYTES,
    `memory grew by ${Math.round(most - memoryBefore)} MB`,
  );
  for (const failure of loud.failures.slice(0, 5)) scene.expect(false, failure);
  const figures = (['send', 'open', 'firstToken'] as const).map((what) => {
    const before = percentile(quiet[what], 99);
    const during = percentile(loud[what], 99);
    scene.expectWithin(Math.max(UNNOTICED_MS, FACTOR * before), during, `p99 of ${what}`);
    return `${what} p99 ${ms(before)} → ${ms(during)} (of ${loud[what].length})`;
  });
  await scene.eventually(
    'all chats have come to rest',
    async () => (await deployment.witness.busyChats()).length === 0,
    REST_MS,
  );
  const { problems, late } = scene;
  const grown = `memory +${Math.round(most - memoryBefore)} MB`;
  return { figure: `${figures.join(', ')}, lost leases ${lost.length}, ${grown}`, problems, late };
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

async function memberApi(deployment: Deployment, user: number): Promise<Api> {
  const { token } = await deployment.api.post<{ token: string }>('/tokens', {
    name: 'noise',
    user_id: userId(user),
  });
  return new Api(() => deployment.urls, token);
}

async function measure(members: readonly Api[], forMs: number): Promise<Latencies> {
  const all = await Promise.all(members.map((api) => probe(api, AbortSignal.timeout(forMs))));
  return {
    send: all.flatMap(({ send }) => send),
    open: all.flatMap(({ open }) => open),
    firstToken: all.flatMap(({ firstToken }) => firstToken),
    failures: all.flatMap(({ failures }) => failures),
  };
}

/** Of the replica that has the most, in MB. */
async function memory({ members }: Deployment): Promise<number> {
  const all = await Promise.all(members.map(({ replica }) => replica.memoryMegabytes()));
  return Math.max(...all);
}
