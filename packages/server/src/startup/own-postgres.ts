import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../postgres/index.ts';

const RETRY_MS = 1000;

export interface OwnPostgres {
  readonly url: string;
  stop(): Promise<void>;
  /** Stops watching and leaves it running for another server. */
  leave(): Promise<void>;
}

/**
 * Keeps the embedded PostgreSQL running: when the idle session of this function ends, PostgreSQL is started again at the
 * same address. Until then requests get 503.
 */
export async function startOwnPostgres(options: {
  readonly dataDir: string;
  readonly onProgress: (line: string) => void;
  readonly onError: (error: unknown) => void;
  readonly signal?: AbortSignal | undefined;
}): Promise<OwnPostgres> {
  const { dataDir, onProgress, onError, signal } = options;
  let server: EmbeddedPostgres = await startEmbeddedPostgres({
    dataDir,
    onProgress,
    ...(signal && { signal }),
  });
  const stopping = new AbortController();
  let session: Client | undefined;

  const untilItEnds = async (): Promise<void> => {
    const client = new Client({ connectionString: server.url, application_name: 'chatd watch' });
    client.on('error', () => undefined);
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    await client.connect();
    session = client;
    if (stopping.signal.aborted) await client.end();
    await ended;
  };
  const unlessItFails = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (stopping.signal.aborted) return;
      onError(error);
      await sleep(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const startAgain = async (): Promise<void> => {
    onProgress('PostgreSQL has stopped. Restarting it');
    server = await startEmbeddedPostgres({ dataDir, onProgress, signal: stopping.signal });
  };
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // PostgreSQL may stop before the session begins. The start adopts it if it runs.
      await unlessItFails(untilItEnds);
      if (!stopping.signal.aborted) await unlessItFails(startAgain);
    }
  };
  const watching = watch();
  const leave = async (): Promise<void> => {
    stopping.abort();
    await session?.end().catch(() => undefined);
    await watching;
  };

  return {
    url: server.url,
    leave,
    async stop() {
      await leave();
      await server.stop();
    },
  };
}
