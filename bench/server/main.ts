/*
 * chatd beside its peers, in one run on one PostgreSQL with fsync on: starts the scripted provider, the database,
 * chatd and the floor, and lets the peers' own program measure all of them. See bench/README.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Client } from 'pg';
import { answers, configureProvider, connect, createDatabase, freePort, Stage } from './stage.ts';

const HERE = import.meta.dirname;
const TOKEN = 'bench-admin-token-0123456789';
const PROVIDER_PORT = 18_790;

const { values } = parseArgs({
  options: {
    peers: { type: 'string', default: join(HERE, '..', '..', '..', 'shared', 'peers') },
    work: { type: 'string', default: join(HERE, '..', '..', '.bench', 'server') },
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '1,8,32' },
    history: { type: 'string', default: '0,20,200,2000' },
    seconds: { type: 'string', default: '3' },
    json: { type: 'string' },
  },
});
const peers = resolve(values.peers);
const work = resolve(values.work);
const logs = join(work, 'logs');
mkdirSync(logs, { recursive: true });

const stage = new Stage();

interface PrivatePostgres {
  readonly startPostgres: (options: {
    folder: string;
    port: number;
    connect: (url: string) => Promise<Client>;
  }) => Promise<string>;
}

async function measure(): Promise<number> {
  const { startPostgres } = (await import(
    pathToFileURL(join(peers, 'postgres.mjs')).href
  )) as PrivatePostgres;
  stage.start(join(peers, 'provider.mjs'), { args: ['--port', String(PROVIDER_PORT)] });
  await answers(`http://127.0.0.1:${PROVIDER_PORT}/stats`);
  const folder = join(work, 'postgres');
  const url = await startPostgres({ folder, port: await freePort(), connect });

  const floorPort = await freePort();
  const floor = stage.start(join(HERE, 'floor.ts'), {
    env: {
      PEER_PORT: String(floorPort),
      PROVIDER_URL: `http://127.0.0.1:${PROVIDER_PORT}/v1`,
      DATABASE_URL: await createDatabase(url, 'floor'),
    },
  });
  const [apiPort, frontPort] = [await freePort(), await freePort()];
  const database = await createDatabase(url, 'chatd');
  const server = stage.start(join(HERE, 'chatd.ts'), {
    env: {
      DATABASE_URL: database,
      CHATD_BENCH_PORT: String(apiPort),
      CHATD_BENCH_TOKEN: TOKEN,
      CHATD_BENCH_DATA: join(work, 'data'),
    },
  });
  const chatdUrl = `http://127.0.0.1:${apiPort}`;
  await answers(`${chatdUrl}/healthz`);
  await configureProvider(chatdUrl, TOKEN, {
    url: `http://127.0.0.1:${PROVIDER_PORT}/v1`,
    model: 'scripted',
  });
  const front = stage.start(join(HERE, 'front.ts'), {
    env: {
      PEER_PORT: String(frontPort),
      DATABASE_URL: database,
      CHATD_BENCH_URL: chatdUrl,
      CHATD_BENCH_TOKEN: TOKEN,
    },
  });
  await sleep(1000);

  const options = ['rounds', 'concurrency', 'history', 'seconds'] as const;
  const run = spawn(
    process.execPath,
    [
      join(peers, 'run.mjs'),
      '--work',
      join(work, 'peers'),
      '--database-url',
      url,
      ...options.flatMap((name) => [`--${name}`, values[name]]),
      ...(values.only === undefined ? [] : ['--only', values.only]),
      ...(values.json === undefined ? [] : ['--json', resolve(values.json)]),
      '--also',
      `floor=http://127.0.0.1:${floorPort}:${floor.pid}:floor`,
      '--also',
      `chatd=http://127.0.0.1:${frontPort}:${server.pid}+${front.pid}:chatd`,
    ],
    { stdio: 'inherit' },
  );
  const [code] = (await once(run, 'exit')) as [number | null];
  return code ?? 1;
}

process.once('SIGINT', () => void stage.close().then(() => process.exit(130)));
try {
  process.exitCode = await measure();
} finally {
  await stage.close();
}
process.exit();
