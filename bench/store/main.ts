import { rm } from 'node:fs/promises';
import { startEmbeddedPostgres } from '../../packages/server/src/postgres/index.ts';
import { migrate } from '../../packages/server/src/store/migrate/migrate.ts';
import { startExternalPostgres } from '@chatd/test-server/programs';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { conclude } from '../report/conclude.ts';
import { median } from '../report/statistics.ts';
import { installedVersions, postgresVersion } from '../report/versions.ts';
import { type StoreData, storeReport } from '../report/store.ts';
import { openBare } from './bare.ts';
import { bareCase, bareFreshCase, type Case, commitStepCase, sendCase, turnCase } from './cases.ts';
import { openChats } from './chats.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

/*
 * Transitions per second of the chat store, compared with a bare transaction of the same driver in the same run, on the
 * embedded and on an external PostgreSQL with fsync on.
 */
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '1,16,64' },
    keep: { type: 'boolean', default: false },
  },
});
const SECONDS = Number(options.seconds);
const ROUNDS = Number(options.rounds);
const CONCURRENCY = options.concurrency.split(',').map(Number);
/** More than any machine reached. Rows are prepared for it before each measurement. */
const MOST_PER_SECOND = 24_000;
/** Enough for both connection pools. */
const SETTINGS = { max_connections: '200' };

interface Server {
  readonly name: string;
  readonly url: string;
  stop(): Promise<void>;
}

async function embedded(): Promise<Server> {
  const dataDir = await makeTemporaryDirectory();
  const server = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
  return {
    name: 'embedded 18',
    url: server.url,
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function external(): Promise<Server> {
  const server = await startExternalPostgres({ settings: SETTINGS });
  return { name: `external ${server.major}`, url: server.url, stop: () => server.stop() };
}

async function perSecond(what: Case, concurrency: number): Promise<number> {
  const lanes = await what.lanes(concurrency, MOST_PER_SECOND * SECONDS);
  let transitions = 0;
  const start = performance.now();
  const end = start + SECONDS * 1000;
  await Promise.all(
    lanes.map(async (lane) => {
      while (performance.now() < end) {
        const done = await lane();
        transitions += done;
      }
    }),
  );
  return transitions / ((performance.now() - start) / 1000);
}

async function measure(server: Server): Promise<StoreData['rows']> {
  await migrate(server.url);
  const most = Math.max(...CONCURRENCY);
  const bare = await openBare(server.url, most);
  const chats = await openChats(server.url, most);
  const cases = [
    bareCase(bare),
    commitStepCase(chats),
    turnCase(chats),
    bareFreshCase(bare),
    sendCase(chats),
  ];
  const rows: StoreData['rows'][number][] = [];
  for (const concurrency of CONCURRENCY) {
    const results = new Map<Case, number[]>(cases.map((what) => [what, []]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const what of cases) {
        process.stderr.write(`${server.name}, concurrency ${concurrency}, ${what.name} …\n`);
        results.get(what)?.push(await perSecond(what, concurrency));
        await chats.clear();
      }
    }
    const medians = new Map([...results].map(([{ name }, numbers]) => [name, median(numbers)]));
    for (const what of cases) {
      const perSecond = medians.get(what.name) ?? Number.NaN;
      const ratio = perSecond / (medians.get(what.baseline) ?? Number.NaN);
      rows.push({ server: server.name, concurrency, what: what.name, perSecond, ratio });
    }
  }
  await bare.close();
  await chats.close();
  return rows;
}

const versions: Record<string, string> = installedVersions('pg');
const rows: StoreData['rows'][number][] = [];
for (const start of [embedded, external]) {
  const server = await start();
  try {
    versions[`PostgreSQL ${server.name.split(' ')[0]}`] = await postgresVersion(server.url);
    rows.push(...(await measure(server)));
  } finally {
    await server.stop();
  }
}
const data: StoreData = { rounds: ROUNDS, seconds: SECONDS, rows };
await conclude(storeReport, { data, versions }, options);
