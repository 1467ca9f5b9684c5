import type { Logger } from 'pino';
import { BrokerBus } from './broker-bus.ts';
import type { Bus } from './bus.ts';
import { MemoryBus } from './memory-bus.ts';
import { openPostgresSession } from './postgres-session.ts';

export interface OpenBusOptions {
  /** CHATD_BUS_URL */
  readonly busUrl: string | undefined;
  /** Of PostgreSQL itself, without a pooler in between: CHATD_DATABASE_DIRECT_URL, else CHATD_DATABASE_URL. */
  readonly databaseUrl: string;
  /** No other process can use this database: it is the embedded one, and we hold its owner lock. */
  readonly alone: boolean;
  readonly log: Logger;
}

/** Every batch is a transaction of its own, and wakes all who listen: a few milliseconds make many fewer. */
const POSTGRES_LINGER_MS = 5;

export async function openBus(options: OpenBusOptions): Promise<Bus> {
  const { busUrl, databaseUrl, alone, log } = options;
  if (busUrl === 'memory:' || (busUrl === undefined && alone)) return new MemoryBus(log);
  return await openPostgresBus({ url: databaseUrl, log });
}

export async function openPostgresBus(options: {
  url: string;
  log: Logger;
  pingMs?: number;
  outboxBytes?: number;
}): Promise<Bus> {
  const { url, ...rest } = options;
  return await BrokerBus.open({
    ...rest,
    lingerMs: POSTGRES_LINGER_MS,
    open: (onPacket) => openPostgresSession(url, onPacket),
  });
}
