/* Shared by the server benchmarks: processes, ports, databases and a configured provider. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

const STOP_TIMEOUT_MS = 15_000;

/** Child processes, stopped in reverse order. */
export class ProcessGroup {
  readonly #running = new Set<ChildProcess>();

  constructor() {
    // Kills processes that started during the shutdown.
    process.once('exit', () => this.#running.forEach((child) => child.kill('SIGKILL')));
  }

  start(
    file: string,
    { env = {}, args = [], stdio = ['ignore', 'ignore', 'inherit'], core }: StartOptions = {},
  ): ChildProcess {
    const command = [process.execPath, '--conditions=chatd-source', file, ...args];
    // taskset replaces itself with the program, so the process ID is the program's.
    const [program = '', ...rest] =
      core === undefined ? command : ['taskset', '--cpu-list', String(core), ...command];
    const child = spawn(program, rest, { env: { ...process.env, ...env }, stdio });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    return child;
  }

  async close(): Promise<void> {
    for (const child of [...this.#running].toReversed()) await this.stop(child);
  }

  async stop(child: ChildProcess): Promise<void> {
    if (!this.#running.has(child)) return;
    const exited = once(child, 'exit');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    child.kill('SIGTERM');
    await exited;
    clearTimeout(timer);
  }
}

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly stdio?: ('ignore' | 'inherit' | 'pipe')[];
  /** The only processor core of the process. Default: all. */
  readonly core?: number;
}

export function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('a process failed to start');
  return child.pid;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

export async function answers(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    try {
      if ((await fetch(url)).status < 500) return;
    } catch {
      // Not listening yet.
    }
    await sleep(100);
  }
  throw new Error(`no response from ${url}`);
}

export async function listens(port: number): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const socket = createConnection(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await sleep(100);
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`port ${port} does not accept connections`);
}

export async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export async function createDatabase(url: string, name: string): Promise<string> {
  const client = await connect(url);
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/** Calls the API of chatd with JSON. */
export async function callApi<T>(
  url: string,
  token: string,
  method: string,
  path: string,
  body: object,
): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const init = { method, headers, body: JSON.stringify(body) };
  const response = await fetch(`${url}/api/v1${path}`, init);
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Adds the provider and makes its model the default. */
export async function configureProvider(
  url: string,
  token: string,
  provider: { readonly url: string; readonly model: string },
): Promise<void> {
  // One user represents all users of a deployment.
  await callApi(url, token, 'PATCH', '/settings', {
    max_running_chats_per_user: null,
    max_streams_per_user: null,
  });
  const { id } = await callApi<{ id: string }>(url, token, 'POST', '/providers', {
    type: 'openai-compatible',
    name: 'Scripted',
    base_url: provider.url,
    api_key: 'none-is-needed',
  });
  await callApi(url, token, 'POST', '/model-configs', {
    provider_id: id,
    model: provider.model,
    display_name: 'Scripted',
    context_limit: 1_000_000,
    compaction_threshold: 100,
    is_default: true,
  });
}
