/*
 * `npm run bench:server`: compares chatd with the programs in bench/peers, in one run on one PostgreSQL with fsync on. See
 * bench/README.md.
 */
import { join } from 'node:path';
import { startExternalPostgres } from '@chatd/test-server/programs';
import { conclude } from '../report/conclude.ts';
import { type ServerData, TWO_REQUESTS } from '../report/server-data.ts';
import { serverReport } from '../report/server.ts';
import { postgresVersion } from '../report/versions.ts';
import { compare, type Contestant } from './comparison.ts';
import { answers, connect, freePort, ProcessGroup } from './environment.ts';
import type { Case } from './measure.ts';
import { installPeer, PEERS, peerVersions } from './peers.ts';
import { chatdWith, type Host, peerNamed } from './programs.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

const byDefault = Object.keys(PEERS).filter((name) => PEERS[name]?.onlyByName !== true);
const { values } = parseArgs({
  options: {
    /** Programs to compare with chatd. */
    only: { type: 'string', default: byDefault.join(',') },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    /** Concurrency levels for conversations of 5 steps in new chats. */
    concurrency: { type: 'string', default: '1,8,32' },
    /** Numbers of steps of longer conversations; empty to skip. */
    steps: { type: 'string', default: '25' },
    /** Numbers of earlier messages; empty to skip. */
    history: { type: 'string', default: '200,2000' },
    'history-rounds': { type: 'string', default: '1' },
    /** Numbers of chatd processes behind one port; empty to skip. */
    processes: { type: 'string', default: '1,2,4' },
    /** A checkout of an earlier version, which takes part as `before` in the table of all cases. */
    before: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});
const list = (text: string) => text.split(',').filter((item) => item !== '');
const peers = list(values.only);
const unknown = peers.find((name) => PEERS[name] === undefined);
if (unknown !== undefined) {
  console.error(`Unknown program: ${unknown}. Available: ${Object.keys(PEERS).join(', ')}.`);
  process.exit(2);
}

const STEPS = 5;
/** The concurrency of all cases but those that vary it. */
const CONCURRENCY = 8;
const levels = list(values.concurrency).map(Number);
/** Short chats first: the memory that long ones leave behind would count in later cases. */
const SHORT: readonly Case[] = [
  ...levels.map((concurrency) => ({ steps: STEPS, history: 0, concurrency })),
  ...list(values.steps)
    .map(Number)
    .map((steps) => ({ steps, history: 0, concurrency: CONCURRENCY })),
];
const LONG: readonly Case[] = list(values.history)
  .map(Number)
  .map((history) => ({ steps: STEPS, history, concurrency: CONCURRENCY }));

const cases = (round: number) =>
  round <= Number(values['history-rounds']) ? [...SHORT, ...LONG] : SHORT;
const before = (checkout: string | undefined): Contestant[] =>
  checkout === undefined
    ? []
    : [
        { name: 'before', start: chatdWith({ checkout }), cases },
        { name: 'before_two_requests', start: chatdWith({ checkout, requests: 2 }), cases },
      ];
const programs: readonly Contestant[] = [
  { name: 'chatd', start: chatdWith(), cases },
  { name: TWO_REQUESTS, start: chatdWith({ requests: 2 }), cases },
  ...before(values.before),
  ...peers.map((name) => ({ name, start: peerNamed(name), cases })),
];
const scaling: readonly Contestant[] = list(values.processes)
  .map(Number)
  .map((processes) => ({
    name: `processes-${processes}`,
    start: chatdWith({ processes }),
    cases: () => [{ steps: STEPS, history: 0, concurrency: Math.max(...levels) }],
  }));

const services = new ProcessGroup();
const running = new ProcessGroup();
const postgres = await startExternalPostgres({
  settings: {
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    shared_buffers: '256MB',
    max_connections: '200',
    // No checkpoint falls into one measurement and not into another.
    max_wal_size: '8GB',
    checkpoint_timeout: '1h',
  },
});

async function run(): Promise<void> {
  for (const name of peers) installPeer(name);
  const port = await freePort();
  const providerUrl = `http://127.0.0.1:${port}`;
  services.start(join(import.meta.dirname, 'provider.ts'), { args: [String(port)] });
  await answers(`${providerUrl}/stats`);
  const database = await connect(postgres.url);
  const host: Host = {
    processes: running,
    databaseUrl: postgres.url,
    database,
    postgresPid: postgres.pid,
    folder: postgres.directory,
    providerUrl,
  };
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  const compared = await compare(programs, host, { rounds, seconds });
  const scaled = await compare(scaling, host, { rounds, seconds });
  await database.end();
  const data: ServerData = {
    seconds,
    rows: compared.rows,
    processes: scaled.rows.map((row) => ({ ...row, processes: Number(row.name.split('-')[1]) })),
  };
  const versions = { PostgreSQL: await postgresVersion(postgres.url), ...peerVersions(peers) };
  await conclude(serverReport, { data, versions }, { keep: values.keep });
  const failures = [...compared.failures, ...scaled.failures];
  for (const failure of failures) console.error(`failed: ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
}

async function clear(): Promise<void> {
  await running.close();
  await services.close();
  await postgres.stop();
}

let stopped: Promise<never> | undefined;
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => {
    stopped = clear().then(() => process.exit(code));
  });
}
try {
  await run();
} finally {
  // A stopped run also fails; wait for the cleanup instead of reporting that failure.
  await stopped;
  await clear();
}
process.exit();
