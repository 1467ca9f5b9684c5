/*
 * `npm run load`: many viewers of many streaming chats, on two replicas with a filled database, all on this machine.
 * Prints the latency at the viewers, the resources of each component, and whether any event was lost.
 */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { startExternalPostgres } from '@chatd/test-server/programs';
import {
  answers,
  configureProvider,
  connect,
  freePort,
  pidOf,
  ProcessGroup,
} from '../server/environment.ts';
import { type Usage, usageOf } from '../server/usage.ts';
import { conclude } from '../report/conclude.ts';
import { type LoadData, loadReport } from '../report/load.ts';
import { postgresVersion } from '../report/versions.ts';
import { monotonicMs } from './clock.ts';
import type { Assignment, Sightings } from './viewers.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

const HERE = import.meta.dirname;
const TOKEN = 'load-admin-token-0123456789';
const WARM_UP_MS = 5000;

const { values } = parseArgs({
  options: {
    chats: { type: 'string', default: '100' },
    viewers: { type: 'string', default: '500' },
    stored: { type: 'string', default: '5000' },
    rate: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '30' },
    /** A nats:// URL. Default: PostgreSQL. */
    bus: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
  },
});
const chats = Number(values.chats);
const viewers = Number(values.viewers);
const rate = Number(values.rate);
const seconds = Number(values.seconds);

/** Stores idle chats with a few messages each. */
async function store(url: string, count: number): Promise<void> {
  const client = await connect(url);
  await client.query(
    `WITH chat AS (
       INSERT INTO chats (id, owner_id, title, model_config_id, status, snapshot_version, history_version,
                          queue_version)
       SELECT gen_random_uuid(), (SELECT id FROM users LIMIT 1), 'Stored ' || n,
              (SELECT id FROM model_configs WHERE is_default), 'waiting', 1, 1, 0
         FROM generate_series(1, $1::integer) AS n
       RETURNING id
     )
     INSERT INTO messages (chat_id, revision, role, content)
     SELECT chat.id, 1, CASE n % 2 WHEN 0 THEN 'user' ELSE 'assistant' END,
            json_build_array(json_build_object('type', 'text', 'text', 'message ' || n))
       FROM chat, generate_series(0, 5) AS n`,
    [count],
  );
  await client.query('ANALYZE');
  await client.end();
}

async function createChats(urls: readonly string[]): Promise<{ id: string; home: number }[]> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  return await Promise.all(
    Array.from({ length: chats }, async (_, index) => {
      const home = index % urls.length;
      const response = await fetch(`${urls[home]}/api/v1/chats`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ content: 'Speak', title: 'Load' }),
      });
      if (!response.ok) throw new Error(await response.text());
      const { id } = (await response.json()) as { id: string };
      return { id, home };
    }),
  );
}

const processes = new ProcessGroup();
const postgres = await startExternalPostgres({
  settings: { fsync: 'on', synchronous_commit: 'on', max_connections: '200' },
});

async function run(): Promise<boolean> {
  const providerPort = await freePort();
  const provider = processes.start(join(HERE, 'provider.ts'), {
    args: [String(providerPort), String(1000 / rate), String(seconds)],
  });
  const ports = [await freePort(), await freePort()];
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const replicas: ChildProcess[] = [];
  for (const [index, port] of ports.entries()) {
    replicas.push(
      processes.start(join(HERE, '..', 'server', 'chatd.ts'), {
        env: {
          DATABASE_URL: postgres.url,
          CHATD_BENCH_PORT: String(port),
          CHATD_BENCH_TOKEN: TOKEN,
          CHATD_BENCH_DATA: join(postgres.directory, `data-${index}`),
          CHATD_BENCH_BUS: values.bus,
        },
      }),
    );
    await answers(`http://127.0.0.1:${port}/healthz`);
  }
  await configureProvider(urls[0] ?? '', TOKEN, {
    url: `http://127.0.0.1:${providerPort}/v1`,
    model: 'paced',
  });
  await store(postgres.url, Number(values.stored));

  const audience = processes.start(join(HERE, 'viewers.ts'), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const parts = {
    replicas: replicas.map(pidOf),
    viewers: [pidOf(audience)],
    provider: [pidOf(provider)],
    postgres: [postgres.pid],
  };
  const read = () =>
    Object.fromEntries(Object.entries(parts).map(([name, pids]) => [name, usageOf(pids)]));
  const before = read();
  const began = monotonicMs();
  const created = await createChats(urls);
  const assignment: Assignment = {
    token: TOKEN,
    countAfterMs: began + WARM_UP_MS,
    // Half of the viewers of each chat are connected to the other replica.
    viewers: Array.from({ length: viewers }, (_, index) => {
      const chat = created[index % created.length];
      if (chat === undefined) throw new Error('no chat to watch');
      const remote = Math.floor(index / created.length) % 2 === 1;
      const replica = remote ? 1 - chat.home : chat.home;
      return { url: `${urls[replica]}/api/v1/chats/${chat.id}/stream`, remote };
    }),
  };
  audience.stdin?.write(`${JSON.stringify(assignment)}\n`);
  const memory: number[] = [];
  const watching = setInterval(() => {
    memory.push(usageOf(parts.replicas).residentMb);
    if (memory.length % 5 === 0) process.stderr.write(`${memory.length} of ${seconds} s …\n`);
  }, 1000);
  const output = createInterface({ input: audience.stdout ?? process.stdin });
  await sleep(seconds * 1000 - 1000);
  const after = read();
  const elapsed = (monotonicMs() - began) / 1000;
  const { value } = await output[Symbol.asyncIterator]().next();
  clearInterval(watching);
  return await report(JSON.parse(value as string) as Sightings, {
    before,
    after,
    elapsed,
    memory,
  });
}

interface Measured {
  readonly before: Readonly<Record<string, Usage>>;
  readonly after: Readonly<Record<string, Usage>>;
  readonly elapsed: number;
  readonly memory: readonly number[];
}

async function report(
  seen: Sightings,
  { before, after, elapsed, memory }: Measured,
): Promise<boolean> {
  const expected = viewers * Math.round(seconds * rate);
  const data: LoadData = {
    chats,
    viewers,
    rate,
    seconds,
    stored: Number(values.stored),
    bus: values.bus === '' ? 'PostgreSQL' : 'NATS',
    delays: [
      { where: 'the replica running the chat', ...seen.local },
      { where: 'the other replica', ...seen.remote },
    ],
    parts: Object.entries(after).map(([name, { cpuSeconds, residentMb }]) => ({
      name,
      cores: (cpuSeconds - (before[name]?.cpuSeconds ?? 0)) / elapsed,
      mb: residentMb,
    })),
    memoryMb: memory.map(Math.round),
    expected,
    seen: seen.deltas,
    committed: seen.committed,
    finished: seen.finished,
  };
  const whole = seen.finished === viewers && seen.deltas === expected && seen.failures.length === 0;
  const versions = { PostgreSQL: await postgresVersion(postgres.url) };
  for (const failure of seen.failures) console.error(failure);
  if (!whole) console.error('Viewers missed events; the result is not stored.');
  await conclude(loadReport, { data, versions }, { keep: values.keep && whole });
  return whole;
}

try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  await processes.close();
  await postgres.stop();
}
process.exit();
