import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StartError } from '../start-error.ts';
import { BrokerBus } from './broker-bus.ts';
import type { Bus } from './bus.ts';
import { MemoryBus } from './memory-bus.ts';
import { readNatsUrl } from './nats-address.ts';
import { NotificationsLost, openPostgresSession } from './postgres-session.ts';

export interface OpenBusOptions {
  /** CHATD_BUS_URL */
  readonly busUrl: string | undefined;
  readonly databaseUrl: string;
  /** CHATD_DATABASE_DIRECT_URL: LISTEN needs a connection without a pooler. */
  readonly databaseDirectUrl: string | undefined;
  /** No other process uses this database: it is embedded, and we hold its owner lock. */
  readonly alone: boolean;
  readonly log: Logger;
  readonly onProgress?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for a broker, which may be starting at the same time. */
  readonly patienceMs?: number | undefined;
}

const PATIENCE_MS = 60_000;
const RETRY_MS = 1000;

/** The bus that the settings name. Default: in memory for a single process, else PostgreSQL. */
export async function openBus(options: OpenBusOptions): Promise<Bus> {
  const { busUrl, databaseUrl, databaseDirectUrl, alone, log } = options;
  if (busUrl === undefined && alone) return new MemoryBus(log);
  if (busUrl === undefined) {
    const url = databaseDirectUrl ?? databaseUrl;
    return await whenReachable(options, () => openPostgresBus({ url, log }), {
      kind: 'database_unreachable',
      what: `The database${databaseDirectUrl === undefined ? '' : ' in CHATD_DATABASE_DIRECT_URL'}`,
      hint: 'Replicas communicate over PostgreSQL. Set CHATD_DATABASE_DIRECT_URL to a connection without a pooler.',
    });
  }
  if (busUrl === 'memory:') return new MemoryBus(log);
  return await whenReachable(options, () => openNatsBus({ url: busUrl, log }), {
    kind: 'bus_unreachable',
    what: `The NATS server at ${readNatsUrl(busUrl).shown}`,
    hint: 'Check that the server is running and that CHATD_BUS_URL is correct, or unset CHATD_BUS_URL to use PostgreSQL.',
  });
}

interface BrokerOptions {
  readonly url: string;
  readonly log: Logger;
  readonly pingMs?: number;
  readonly outboxBytes?: number;
}

const ECHO_MS = 5000;
/** Each batch has a cost for all replicas (a transaction in PostgreSQL); a short delay makes batches larger. */
const LINGER_MS = { postgres: 5, nats: 2 };

export async function openPostgresBus({ url, ...options }: BrokerOptions): Promise<Bus> {
  return await BrokerBus.open({
    ...options,
    lingerMs: LINGER_MS.postgres,
    open: (onPacket) => openPostgresSession({ url, echoMs: options.pingMs ?? ECHO_MS, onPacket }),
  });
}

export async function openNatsBus({ url, ...options }: BrokerOptions): Promise<Bus> {
  const address = readNatsUrl(url);
  const { openNatsSession } = await import('./nats-session.ts');
  return await BrokerBus.open({
    ...options,
    lingerMs: LINGER_MS.nats,
    open: (onPacket) => openNatsSession(address, onPacket),
  });
}

interface Explanation {
  readonly kind: 'database_unreachable' | 'bus_unreachable';
  readonly what: string;
  readonly hint: string;
}

async function whenReachable(
  { onProgress = () => undefined, signal, patienceMs = PATIENCE_MS }: OpenBusOptions,
  open: () => Promise<Bus>,
  { kind, what, hint }: Explanation,
): Promise<Bus> {
  const deadline = performance.now() + patienceMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await open();
    } catch (error) {
      signal?.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      if (isLasting(error) || performance.now() > deadline) {
        throw new StartError(kind, `${what} cannot be used: ${why}.`, hint, error);
      }
      if (tries % 5 === 0) onProgress(`Waiting for the bus. ${what} cannot be used yet: ${why}`);
      await sleep(RETRY_MS, undefined, signal && { signal });
    }
  }
}

/** Wrong credentials, a missing database or a pooler: retrying does not help. */
function isLasting(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    /^(28|3D000|42501)/.test(code) ||
    error instanceof NotificationsLost ||
    error.name === 'AuthorizationError'
  );
}
