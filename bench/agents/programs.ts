import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import {
  answers,
  callApi,
  configureProvider,
  createDatabase,
  freePort,
  listens,
  type ProcessGroup,
} from '../server/environment.ts';

const HERE = import.meta.dirname;
const TOKEN = 'bench-admin-token-0123456789';
/** The server limits the model output per user, so the agents belong to several users. */
const USERS = 25;

export interface Host {
  readonly processes: ProcessGroup;
  readonly databaseUrl: string;
  /** Temporary directory of the run. */
  readonly folder: string;
  readonly providerUrl: string;
  /** The core of the measured program. Undefined: all. */
  readonly core: number | undefined;
}

export interface RunningProgram {
  readonly child: ChildProcess;
  /** The request of each viewer. */
  readonly url: string;
  readonly body: string;
  /** Viewers use them in turn. */
  readonly headers: readonly Readonly<Record<string, string>>[];
}

type Start = (host: Host, run: string) => Promise<RunningProgram>;

const pinned = ({ core }: Host) => (core === undefined ? {} : { core });

const chatd: Start = async (host, run) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = host.processes.start(join(HERE, '..', 'server', 'chatd.ts'), {
    ...pinned(host),
    env: {
      DATABASE_URL: await createDatabase(host.databaseUrl, run),
      CHATD_BENCH_PORT: String(port),
      CHATD_BENCH_TOKEN: TOKEN,
      CHATD_BENCH_DATA: join(host.folder, run),
    },
  });
  await answers(`${url}/healthz`);
  await configureProvider(url, TOKEN, { url: `${host.providerUrl}/v1`, model: 'paced' });
  const headers = [];
  for (let user = 0; user < USERS; user += 1) {
    const { id } = await callApi<{ id: string }>(url, TOKEN, 'POST', '/users', {
      username: `agent-${user}`,
    });
    const { token } = await callApi<{ token: string }>(url, TOKEN, 'POST', '/tokens', {
      name: 'bench',
      user_id: id,
    });
    headers.push({
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    });
  }
  const body = JSON.stringify({ content: 'Speak', title: 'Agent' });
  return { child, url: `${url}/api/v1/chats`, body, headers };
};

const proxy =
  (file: string): Start =>
  async (host) => {
    const port = await freePort();
    const child = host.processes.start(join(HERE, file), {
      ...pinned(host),
      env: { PEER_PORT: String(port), PROVIDER_URL: `${host.providerUrl}/v1` },
    });
    await listens(port);
    return { child, url: `http://127.0.0.1:${port}/`, body: '', headers: [{}] };
  };

/** By name in the report. */
export const PROGRAMS: Readonly<Record<string, Start>> = {
  chatd,
  doStream: proxy('do-stream.ts'),
  uiStream: proxy('ui-stream.ts'),
};
