/*
 * Compares chatd with its peers in one run on one PostgreSQL with fsync on. Starts the scripted provider, the database,
 * chatd and the baseline; the harness of the peers measures all of them. See bench/README.md.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { conclude, SKIPPED } from '../report/conclude.ts';
import { keptRow, type ServerData } from '../report/server-data.ts';
import { serverReport } from '../report/server.ts';
import { type Cases, measureCases } from './comparison.ts';
import { loadHarness, peersThere, peerVersions } from './peers.ts';
import { answers, connect, freePort, ProcessGroup } from './environment.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const BESIDE = join(ROOT, '..', 'shared', 'peers');

const { values } = parseArgs({
  options: {
    peers: { type: 'string', default: BESIDE },
    work: { type: 'string', default: join(ROOT, '.bench', 'server') },
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    /** Concurrency levels for chats without earlier messages. */
    concurrency: { type: 'string', default: '1,8,32' },
    /** Numbers of earlier messages, measured with 8 conversations; empty to skip. */
    history: { type: 'string', default: '200,2000' },
    'history-rounds': { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
  },
});
const peers = resolve(values.peers);

if (!peersThere(peers)) {
  console.error(
    `No peers in ${peers}; the benchmark is skipped. Set their directory with --peers DIR.`,
  );
  process.exit(SKIPPED);
}

const { only, seconds } = values;
const PLANS: readonly Cases[] = [
  {
    name: 'short',
    only,
    seconds,
    rounds: values.rounds,
    concurrency: values.concurrency,
    history: '0',
  },
  {
    name: 'long',
    only,
    seconds,
    rounds: values['history-rounds'],
    concurrency: '8',
    history: values.history,
  },
];

const work = resolve(values.work);
const folder = join(work, `run-${process.pid}`);
mkdirSync(folder, { recursive: true });
const { startPostgres, stopAll } = await loadHarness(peers);
const services = new ProcessGroup();
const programs = new ProcessGroup();

async function measure(): Promise<void> {
  const providerPort = await freePort();
  services.start(join(peers, 'provider.mjs'), { args: ['--port', String(providerPort)] });
  await answers(`http://127.0.0.1:${providerPort}/stats`);
  const database = { folder: join(folder, 'postgres'), port: await freePort(), connect };
  const comparison = {
    processes: programs,
    peers,
    packages: join(work, 'peers'),
    folder,
    databaseUrl: await startPostgres(database),
    providerPort,
  };
  const reports = [];
  for (const plan of PLANS) {
    if (plan.history !== '') reports.push(await measureCases(comparison, plan));
  }
  const failures = reports.flatMap((report) => report.failures);
  for (const { name, message } of failures) console.error(`failed: ${name}: ${message}`);
  const rows = reports.flatMap(({ medians }) => medians.map(keptRow));
  const data: ServerData = { seconds: Number(seconds), rows };
  const versions = {
    PostgreSQL: reports[0]?.postgres.split(' ')[0] ?? 'unknown',
    ...peerVersions(
      peers,
      rows.map(({ name }) => name),
    ),
  };
  if (failures.length > 0) process.exitCode = 1;
  await conclude(serverReport, { data, versions }, { keep: values.keep });
}

async function clear(): Promise<void> {
  await programs.close();
  await services.close();
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
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
  await measure();
} finally {
  // A stopped run also fails; wait for the cleanup instead of reporting that failure.
  await stopped;
  await clear();
}
process.exit();
