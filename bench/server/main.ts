/*
 * chatd beside its peers, in one run on one PostgreSQL with fsync on: starts the scripted provider, the database,
 * chatd and the floor, and lets the peers' own program measure all of them. See bench/README.md.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { conclude, SKIPPED } from '../report/conclude.ts';
import { keptRow, type ServerData } from '../report/server-data.ts';
import { serverReport } from '../report/server.ts';
import { type Cases, measureCases } from './contest.ts';
import { loadHarness, peersThere, peerVersions } from './peers.ts';
import { answers, connect, freePort, Stage } from './stage.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const BESIDE = join(ROOT, '..', 'shared', 'peers');

const { values } = parseArgs({
  options: {
    peers: { type: 'string', default: BESIDE },
    work: { type: 'string', default: join(ROOT, '.bench', 'server') },
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    /** Without earlier messages. */
    concurrency: { type: 'string', default: '1,8,32' },
    /** With so many earlier messages, 8 at once; empty for none. */
    history: { type: 'string', default: '200,2000' },
    'history-rounds': { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
  },
});
const peers = resolve(values.peers);

if (!peersThere(peers)) {
  console.error(
    `The programs that chatd is measured beside are not in ${peers}: nothing was measured.\n` +
      'Say where they are with --peers DIR.',
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
const services = new Stage();
const programs = new Stage();

async function measure(): Promise<void> {
  const providerPort = await freePort();
  services.start(join(peers, 'provider.mjs'), { args: ['--port', String(providerPort)] });
  await answers(`http://127.0.0.1:${providerPort}/stats`);
  const database = { folder: join(folder, 'postgres'), port: await freePort(), connect };
  const contest = {
    stage: programs,
    peers,
    packages: join(work, 'peers'),
    folder,
    databaseUrl: await startPostgres(database),
    providerPort,
  };
  const reports = [];
  for (const plan of PLANS) {
    if (plan.history !== '') reports.push(await measureCases(contest, plan));
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
  // Whoever stops the run makes it fail, too; that is no news.
  await stopped;
  await clear();
}
process.exit();
