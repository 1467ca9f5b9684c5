import type { Config } from '../config.ts';
import type { ReadyServer } from '../process-group/messages.ts';
import { Supervisor } from '../process-group/supervisor.ts';
import { type Closeable, CloseStack } from './close-stack.ts';
import { openEmbeddedDatabase } from './open-database.ts';

export interface ProcessGroup extends ReadyServer, Closeable {
  /** Replaces the processes one at a time. */
  restart(): void;
}

export interface ProcessGroupOptions {
  readonly log: (line: string) => void;
  readonly onFatal: (error: Error) => void;
  readonly signal: AbortSignal;
}

/**
 * Starts the processes of a server. The supervisor runs the embedded PostgreSQL and holds the lock of the data directory,
 * so that both survive the end of any other process. A number: the exit code of the first process, which could not start.
 */
export async function startProcessGroup(
  config: Config,
  size: number,
  { log, onFatal, signal }: ProcessGroupOptions,
): Promise<ProcessGroup | number> {
  const stack = new CloseStack();
  try {
    const own = config.databaseUrl === undefined && {
      ...(await openEmbeddedDatabase(
        config.dataDir,
        { onProgress: log, onError: (error) => log(String(error)), onFatal, signal },
        stack,
      )),
    };
    const supervisor = new Supervisor({ size, log, ...(own && { databaseUrl: own.url }) });
    stack.add(() => supervisor.stop());
    const stop = () => void supervisor.stop();
    signal.addEventListener('abort', stop, { once: true });
    const server = await supervisor.start();
    signal.throwIfAborted();
    if (typeof server !== 'object') {
      await stack.close();
      return typeof server === 'number' ? server : 1;
    }
    const { url, signInUrl } = server;
    if (own) {
      const started_at = new Date().toISOString();
      await own.lock.announce({ pid: process.pid, url, started_at });
    }
    return {
      url,
      signInUrl,
      restart: () => void supervisor.restart(),
      close: () => stack.close(),
    };
  } catch (error) {
    await stack.close();
    throw error;
  }
}
