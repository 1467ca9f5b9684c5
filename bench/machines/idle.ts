import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@chatd/client';
import { systemClock } from '@chatd/loop';
import { PROTOCOL, sendHello } from '../../packages/server/src/machine/link/handshake.ts';
import { LinkServer } from '../../packages/server/src/machine/link/link-server.ts';
import { dialWebSocket } from '../../packages/server/src/machine/link/web-socket-channel.ts';
import { connectUrl } from '../../packages/server/src/machine/program/machine-connector.ts';
import { startEmbeddedPostgres } from '../../packages/server/src/postgres/index.ts';
import type { MachinesData } from '../report/machines.ts';
import type { Usage } from './server.ts';

/** The heap and CPU of a replica for each machine that is connected and idle. */
export async function measureIdle(
  directory: string,
  machines: number,
  seconds: number,
): Promise<MachinesData['idle']> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(directory, 'postgres') });
  const token = `bench-${randomBytes(16).toString('hex')}`;
  const server = spawn(
    process.execPath,
    ['--conditions=chatd-source', join(import.meta.dirname, 'server.ts')],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        ...process.env,
        DATABASE_URL: postgres.url,
        CHATD_BENCH_TOKEN: token,
        CHATD_BENCH_DATA: join(directory, 'server'),
      },
    },
  );
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const next = async <T>(): Promise<T> => JSON.parse((await lines.next()).value as string) as T;
  const usage = async (): Promise<Usage> => {
    server.stdin.write('\n');
    return await next<Usage>();
  };
  const links: LinkServer[] = [];
  try {
    const { url } = await next<{ url: string }>();
    const client = createClient({ url, token });
    const connect = async (name: string) => {
      const made = await client.call('createMachine', { body: { name } });
      const channel = await dialWebSocket(connectUrl(url), {
        headers: { authorization: `Bearer ${made.token}` },
      });
      const hello = {
        protocol: PROTOCOL,
        version: 'bench',
        boot: randomUUID(),
        labels: {},
        capabilities: { sandbox: true, docker: false, desktop: false },
      };
      const link = await sendHello(channel, hello, () => {
        return new LinkServer({
          channel,
          clock: systemClock,
          // Journals are empty.
          serve: () => Promise.resolve({ result: [] }),
        });
      });
      links.push(link);
    };
    // The first ones load code.
    for (let index = 0; index < 20; index++) await connect(`warm-${index}`);
    const idle = await quiet(usage, seconds);
    for (let index = 0; index < machines; index += 20) {
      const some = Array.from({ length: Math.min(20, machines - index) }, (_, at) => index + at);
      await Promise.all(some.map((number) => connect(`machine-${number}`)));
    }
    const busy = await quiet(usage, seconds);
    return {
      machines,
      heapBytes: (busy.heapBytes - idle.heapBytes) / machines,
      cores: busy.cores - idle.cores,
    };
  } finally {
    const ended = once(server, 'close');
    server.kill('SIGTERM');
    for (const link of links) link.close('the benchmark is over');
    await ended;
    await postgres.stop();
  }
}

/** The heap after a while without requests, and the CPU meanwhile. */
async function quiet(usage: () => Promise<Usage>, seconds: number) {
  await sleep(1000);
  const before = await usage();
  await sleep(seconds * 1000);
  const after = await usage();
  return {
    heapBytes: after.heapBytes,
    cores: (after.cpuSeconds - before.cpuSeconds) / seconds,
  };
}
