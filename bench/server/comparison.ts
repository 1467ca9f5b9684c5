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
  type ProcessGroup,
} from './environment.ts';

const HERE = import.meta.dirname;
const TOKEN = 'bench-admin-token-0123456789';

export interface Comparison {
  /** The programs of one measurement. */
  readonly processes: ProcessGroup;
  readonly peers: string;
  /** Persistent directory with the installed packages of the peers. */
  readonly packages: string;
  /** Temporary directory of this run. */
  readonly folder: string;
  readonly databaseUrl: string;
  readonly providerPort: number;
}

export interface Cases {
  readonly name: string;
  /** Undefined: all peers that run by default. */
  readonly only: string | undefined;
  readonly rounds: string;
  readonly seconds: string;
  readonly concurrency: string;
  readonly history: string;
}

/** Measures freshly started chatd and baseline servers and the peers in all cases. */
export async function measureCases(comparison: Comparison, cases: Cases): Promise<PeerReport> {
  const { processes } = comparison;
  try {
    const also = [
      await startBaseline(processes, comparison, cases),
      await startChatd(processes, comparison, cases),
    ];
    const json = join(comparison.folder, `${cases.name}.json`);
    const { only, rounds, seconds, concurrency, history } = cases;
    const options = {
      work: comparison.packages,
      'database-url': comparison.databaseUrl,
      'provider-port': String(comparison.providerPort),
      rounds,
      seconds,
      concurrency,
      history,
      json,
      ...(only !== undefined && { only }),
    };
    // The harness prints its own table to stdout, which is ignored.
    const run = processes.start(join(comparison.peers, 'run.mjs'), {
      args: [
        ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
        ...also.flatMap((program) => ['--also', program]),
      ],
    });
    const [code] = (await once(run, 'exit')) as [number | null];
    if (!existsSync(json)) throw new Error(`the harness of the peers exited with status ${code}`);
    return JSON.parse(readFileSync(json, 'utf8')) as PeerReport;
  } finally {
    await processes.close();
  }
}

const providerUrl = ({ providerPort }: Comparison) => `http://127.0.0.1:${providerPort}/v1`;

async function startBaseline(
  processes: ProcessGroup,
  comparison: Comparison,
  { name }: Cases,
): Promise<string> {
  const port = await freePort();
  const database = `baseline_${name}`;
  const baseline = processes.start(join(HERE, 'baseline.ts'), {
    env: {
      PEER_PORT: String(port),
      PROVIDER_URL: providerUrl(comparison),
      DATABASE_URL: await createDatabase(comparison.databaseUrl, database),
    },
  });
  await listens(port);
  return `baseline=http://127.0.0.1:${port}:${baseline.pid}:${database}`;
}

async function startChatd(
  processes: ProcessGroup,
  comparison: Comparison,
  { name }: Cases,
): Promise<string> {
  const [apiPort, adapterPort] = [await freePort(), await freePort()];
  const database = `chatd_${name}`;
  const databaseUrl = await createDatabase(comparison.databaseUrl, database);
  const server = processes.start(join(HERE, 'chatd.ts'), {
    env: {
      DATABASE_URL: databaseUrl,
      CHATD_BENCH_PORT: String(apiPort),
      CHATD_BENCH_TOKEN: TOKEN,
      CHATD_BENCH_DATA: join(comparison.folder, database),
    },
  });
  const url = `http://127.0.0.1:${apiPort}`;
  await answers(`${url}/healthz`);
  await configureProvider(url, TOKEN, { url: providerUrl(comparison), model: 'scripted' });
  const adapter = processes.start(join(HERE, 'adapter.ts'), {
    env: {
      PEER_PORT: String(adapterPort),
      DATABASE_URL: databaseUrl,
      CHATD_BENCH_URL: url,
      CHATD_BENCH_TOKEN: TOKEN,
    },
  });
  await listens(adapterPort);
  return `chatd=http://127.0.0.1:${adapterPort}:${server.pid}+${adapter.pid}:${database}`;
}
