import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PeerReport } from './peers.ts';
import {
  answers,
  configureProvider,
  createDatabase,
  freePort,
  listens,
  type Stage,
} from './stage.ts';

const HERE = import.meta.dirname;
const TOKEN = 'bench-admin-token-0123456789';

export interface Contest {
  /** For the programs that take part; empty again when they have been measured. */
  readonly stage: Stage;
  readonly peers: string;
  /** Where the packages of the peers are installed, and stay. */
  readonly packages: string;
  /** Of this run alone. */
  readonly folder: string;
  readonly databaseUrl: string;
  readonly providerPort: number;
}

export interface Cases {
  readonly name: string;
  /** Undefined: all that do not have to be asked for. */
  readonly only: string | undefined;
  readonly rounds: string;
  readonly seconds: string;
  readonly concurrency: string;
  readonly history: string;
}

/** Measures chatd, the floor and the peers in turns, in all of the cases. chatd and the floor start anew for it. */
export async function measureCases(contest: Contest, cases: Cases): Promise<PeerReport> {
  const { stage } = contest;
  try {
    const also = [await startFloor(stage, contest, cases), await startChatd(stage, contest, cases)];
    const json = join(contest.folder, `${cases.name}.json`);
    const { only, rounds, seconds, concurrency, history } = cases;
    const options = {
      work: contest.packages,
      'database-url': contest.databaseUrl,
      'provider-port': String(contest.providerPort),
      rounds,
      seconds,
      concurrency,
      history,
      json,
      ...(only !== undefined && { only }),
    };
    // Its table has the columns of the harness; ours is printed at the end.
    const run = stage.start(join(contest.peers, 'run.mjs'), {
      args: [
        ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
        ...also.flatMap((program) => ['--also', program]),
      ],
    });
    const [code] = (await once(run, 'exit')) as [number | null];
    if (!existsSync(json)) throw new Error(`the harness of the peers ended with status ${code}`);
    return JSON.parse(readFileSync(json, 'utf8')) as PeerReport;
  } finally {
    await stage.close();
  }
}

const providerUrl = ({ providerPort }: Contest) => `http://127.0.0.1:${providerPort}/v1`;

async function startFloor(stage: Stage, contest: Contest, { name }: Cases): Promise<string> {
  const port = await freePort();
  const database = `floor_${name}`;
  const floor = stage.start(join(HERE, 'floor.ts'), {
    env: {
      PEER_PORT: String(port),
      PROVIDER_URL: providerUrl(contest),
      DATABASE_URL: await createDatabase(contest.databaseUrl, database),
    },
  });
  await listens(port);
  return `floor=http://127.0.0.1:${port}:${floor.pid}:${database}`;
}

async function startChatd(stage: Stage, contest: Contest, { name }: Cases): Promise<string> {
  const [apiPort, frontPort] = [await freePort(), await freePort()];
  const database = `chatd_${name}`;
  const databaseUrl = await createDatabase(contest.databaseUrl, database);
  const server = stage.start(join(HERE, 'chatd.ts'), {
    env: {
      DATABASE_URL: databaseUrl,
      CHATD_BENCH_PORT: String(apiPort),
      CHATD_BENCH_TOKEN: TOKEN,
      CHATD_BENCH_DATA: join(contest.folder, database),
    },
  });
  const url = `http://127.0.0.1:${apiPort}`;
  await answers(`${url}/healthz`);
  await configureProvider(url, TOKEN, { url: providerUrl(contest), model: 'scripted' });
  const front = stage.start(join(HERE, 'front.ts'), {
    env: {
      PEER_PORT: String(frontPort),
      DATABASE_URL: databaseUrl,
      CHATD_BENCH_URL: url,
      CHATD_BENCH_TOKEN: TOKEN,
    },
  });
  await listens(frontPort);
  return `chatd=http://127.0.0.1:${frontPort}:${server.pid}+${front.pid}:${database}`;
}
