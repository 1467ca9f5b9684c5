import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { newSignInLink } from './auth/sign-in-link.ts';
import type { Config } from './config.ts';
import { type Closeable, closingOnFailure } from './startup/close-stack.ts';
import { startAgents } from './startup/start-agents.ts';
import { startHttp } from './startup/start-http.ts';
import { startOutbox } from './startup/start-outbox.ts';
import type { StartOptions } from './startup/start-options.ts';
import { startStorage } from './startup/start-storage.ts';
import { startWorker } from './startup/start-worker.ts';
import { readPostgresVersion } from './store/queries/session.ts';
import { onlyRow } from './store/statement.ts';
import { VERSION } from './version.ts';

export interface Chatd extends Closeable {
  readonly url: string;
  /** Signs an admin in, once, within 15 minutes. */
  readonly signInUrl: string;
}

/** Starts a server. If a step fails, stops everything that has started. */
export async function startChatd(config: Config, options: StartOptions): Promise<Chatd> {
  const { log, signal } = options;
  const replica = { id: randomUUID(), program: VERSION, host: hostname() };
  const onCloseError = (error: unknown) => log.error({ err: error }, 'cleanup failed');
  return await closingOnFailure(async (stack) => {
    const storage = stack.use(await startStorage(config, options, replica));
    const { store, settings, bus, observability, registration, lock } = storage;
    const agents = stack.use(await startAgents(config, options, storage));
    const events = stack.use(await startOutbox(config, options, storage, agents));
    const { origin } = stack.use(await startHttp(config, options, storage, agents, events));
    // Last to start and first to stop: other replicas take its chats while the rest of this one closes.
    const { worker } = stack.use(await startWorker(config, options, storage, agents));
    await registration.start();
    observability.show({
      running: () => worker?.running ?? 0,
      migrationsWaiting: () => registration.waiting,
      bus,
      streams: agents.streams,
      machines: agents.places?.machines,
    });
    const link = await newSignInLink(store.database, storage.admin.id, origin);
    if (link === undefined) throw new Error('The admin was deleted during the start.');
    await lock?.announce({ pid: process.pid, url: origin, started_at: new Date().toISOString() });
    signal?.throwIfAborted();
    const { version: postgres } = onlyRow(await store.database.query(readPostgresVersion));
    log.info(
      {
        version: VERSION,
        node: process.versions.node,
        postgres,
        bus: busName(config, lock !== undefined),
        concurrency: config.concurrency,
        tools: options.tools?.length ?? 0,
        traces: observability.isTracing,
        debug_record: (await settings.read()).debug_record.enabled,
        replica_id: replica.id,
      },
      'chatd started',
    );
    return { url: origin, signInUrl: link.url };
  }, onCloseError);
}

function busName({ busUrl }: Config, alone: boolean): string {
  if (busUrl === undefined) return alone ? 'memory' : 'postgres';
  return busUrl === 'memory:' ? 'memory' : 'nats';
}
