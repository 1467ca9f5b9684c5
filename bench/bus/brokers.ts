import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { Bus } from '../../packages/server/src/bus/bus.ts';
import { MemoryBus } from '../../packages/server/src/bus/memory-bus.ts';
import { openNatsBus, openPostgresBus } from '../../packages/server/src/bus/open-bus.ts';
import { createLog } from '../../packages/server/src/log.ts';
import {
  findNatsServer,
  startExternalPostgres,
  startNatsServer,
} from '@chatd/test-server/programs';
import { postgresVersion } from '../report/versions.ts';

export interface Broker {
  readonly name: string;
  /** Undefined for the in-memory bus, which has no broker. */
  readonly url: string | undefined;
  versions(): Promise<Readonly<Record<string, string>>>;
  /** CPU seconds of all broker processes so far. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

export const BROKERS: readonly (() => Promise<Broker>)[] = [startNone, startPostgres, startNats];

const log = createLog({
  level: 'warn',
  secrets: [],
  readable: true,
  write: (line) => process.stderr.write(line),
});

export async function openAt(url: string | undefined): Promise<Bus> {
  if (url === undefined) return new MemoryBus(log);
  return url.startsWith('nats:')
    ? await openNatsBus({ url, log })
    : await openPostgresBus({ url, log });
}

async function startNone(): Promise<Broker> {
  return {
    name: 'memory',
    url: undefined,
    versions: async () => ({}),
    cpuSeconds: () => 0,
    stop: async () => undefined,
  };
}

async function startPostgres(): Promise<Broker> {
  const server = await startExternalPostgres();
  return {
    name: `PostgreSQL ${server.major}`,
    url: server.url,
    versions: async () => ({ PostgreSQL: await postgresVersion(server.url) }),
    cpuSeconds: () => cpuOf(server.pid),
    stop: () => server.stop(),
  };
}

async function startNats(): Promise<Broker> {
  const server = await startNatsServer();
  return {
    name: 'NATS',
    url: `nats://127.0.0.1:${server.port}`,
    versions: async () => ({ NATS: natsVersion() }),
    cpuSeconds: () => cpuOf(server.pid),
    stop: () => server.stop(),
  };
}

/** `nats-server: v2.9.10` */
function natsVersion(): string {
  const printed = execFileSync(findNatsServer() ?? 'nats-server', ['--version'], {
    encoding: 'utf8',
  });
  return /v(\d\S*)/.exec(printed)?.[1] ?? 'unknown';
}

const TICKS_PER_SECOND = 100;

/** CPU seconds of a process and its children, including ended ones. */
function cpuOf(pid: number): number {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const ticks = processes.flatMap((name) => {
    const fields = statOf(name);
    const [parent, user, system, childUser, childSystem] = [1, 11, 12, 13, 14].map((field) =>
      Number(fields[field]),
    );
    if (user === undefined || system === undefined) return [];
    if (Number(name) === pid) return [user + system + (childUser ?? 0) + (childSystem ?? 0)];
    return parent === pid ? [user + system] : [];
  });
  return ticks.reduce((sum, value) => sum + value, 0) / TICKS_PER_SECOND;
}

/** The fields after the program name, which may contain any character. */
function statOf(name: string): string[] {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
