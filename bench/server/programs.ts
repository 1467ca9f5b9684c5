import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  answers,
  configureProvider,
  createDatabase,
  freePort,
  listens,
  pidOf,
  type ProcessGroup,
} from './environment.ts';
import type { Environment, Subject } from './measure.ts';
import { entryOf, PEERS } from './peers.ts';

const HERE = import.meta.dirname;
const TOKEN = 'bench-admin-token-0123456789';

export interface Host extends Environment {
  readonly processes: ProcessGroup;
  /** Of PostgreSQL; each program gets its own database. */
  readonly databaseUrl: string;
  /** Temporary directory of the run. */
  readonly folder: string;
}

/** Starts a program with an empty database. */
export type StartProgram = (host: Host, run: string) => Promise<Subject>;

interface ChatdOptions {
  readonly processes?: number;
  /** 1: posts the message and gets the stream of the turn. 2: posts the message, then opens the stream. */
  readonly requests?: 1 | 2;
  /** Of another version, in a checkout with its dependencies. Default: this one. */
  readonly checkout?: string;
}

/** chatd and the adapter to the contract of the benchmark, which is its client. */
export function chatdWith({
  processes = 1,
  requests = 1,
  checkout,
}: ChatdOptions = {}): StartProgram {
  const folder = checkout === undefined ? HERE : join(checkout, 'bench', 'server');
  return async (host, run) => {
    const [apiPort, adapterPort] = [await freePort(), await freePort()];
    const url = `http://127.0.0.1:${apiPort}`;
    const databaseUrl = await createDatabase(host.databaseUrl, run);
    const server = host.processes.start(join(folder, 'chatd.ts'), {
      env: {
        DATABASE_URL: databaseUrl,
        CHATD_BENCH_PORT: String(apiPort),
        CHATD_BENCH_TOKEN: TOKEN,
        CHATD_BENCH_DATA: join(host.folder, run),
        CHATD_BENCH_PROCESSES: String(processes),
      },
    });
    await answers(`${url}/healthz`);
    await configureProvider(url, TOKEN, { url: `${host.providerUrl}/v1`, model: 'scripted' });
    const adapter = host.processes.start(join(HERE, 'adapter.ts'), {
      env: {
        PEER_PORT: String(adapterPort),
        DATABASE_URL: databaseUrl,
        CHATD_BENCH_URL: url,
        CHATD_BENCH_TOKEN: TOKEN,
        CHATD_BENCH_REQUESTS: String(requests),
      },
    });
    await listens(adapterPort);
    return {
      url: `http://127.0.0.1:${adapterPort}`,
      pids: [pidOf(server)],
      clientPids: [pidOf(adapter)],
      storePids: [],
    };
  };
}

export function peerNamed(name: string): StartProgram {
  return async (host, run) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const data = join(host.folder, run);
    mkdirSync(data);
    const peer = host.processes.start(entryOf(name), {
      env: {
        DO_NOT_TRACK: '1',
        ...PEERS[name]?.env,
        PEER_PORT: String(port),
        PEER_DATA: data,
        PROVIDER_URL: `${host.providerUrl}/v1`,
        DATABASE_URL: await createDatabase(host.databaseUrl, run),
      },
    });
    await answers(url);
    const { storePids } = (await (await fetch(url)).json()) as { storePids: number[] };
    return { url, pids: [pidOf(peer)], clientPids: [], storePids };
  };
}
