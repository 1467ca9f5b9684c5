import type { Config } from '../config.ts';
import { Worker } from '../worker/worker.ts';
import { type Closeable, closingOnFailure } from './close-stack.ts';
import type { Agents } from './start-agents.ts';
import type { StartOptions } from './start-options.ts';
import type { Storage } from './start-storage.ts';

/** Starts running chats, unless the concurrency is 0. */
export async function startWorker(
  config: Config,
  { log, limits = {} }: StartOptions,
  { replica, store, settings, bus, observability, commitListeners, registration }: Storage,
  { providers, streams, subagents, toolboxes, titles, checkCall }: Agents,
): Promise<Closeable & { readonly worker: Worker | undefined }> {
  const onCloseError = (error: unknown) => log.error({ err: error }, 'cleanup failed');
  return await closingOnFailure(async (stack) => {
    await subagents.start();
    stack.use(subagents);
    if (config.concurrency === 0) return { worker: undefined };
    const worker = new Worker({
      store,
      bus,
      log,
      workerId: replica.id,
      models: providers.models,
      sink: streams.sink,
      toolboxes,
      settings: settings.read,
      recentSettings: settings.recent,
      limits,
      leaseMs: config.leaseMs,
      maxOwnerDeaths: config.maxOwnerDeaths,
      concurrency: config.concurrency,
      instruments: observability.instruments,
      beforeCall: checkCall,
      onFinished: (chat) => titles.afterTurn(chat),
    });
    // The worker deletes its row when it closes. The replica stays registered until all of it has stopped.
    stack.add(() => registration.renewWhileClosing());
    await worker.start();
    stack.use(worker);
    commitListeners.worker = worker;
    return { worker };
  }, onCloseError);
}
