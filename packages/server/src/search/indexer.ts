import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import {
  forgetGoneSearches,
  indexChat,
  pendingSearches,
} from '../store/queries/search/index-chats.ts';
import { onlyRow } from '../store/statement.ts';

/** Delay, so that an active chat is indexed once for several messages. Until then a search reads the messages. */
const AGE_MS = 15_000;
const EVERY_MS = 5000;
const BATCH = 100;

export interface SearchIndexer {
  close(): Promise<void>;
}

/** Adds new messages to the search index after a delay. Replicas share the work. */
export function startSearchIndexer(database: Database, log: Logger): SearchIndexer {
  const closed = new AbortController();
  const { signal } = closed;
  const keepIndexing = async () => {
    let failing = false;
    while (!signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      try {
        await indexPending(database, { ageMs: AGE_MS, signal });
        failing = false;
      } catch (error) {
        if (!failing) log.warn({ err: error }, 'search indexing failed; retrying');
        failing = true;
      }
    }
  };
  const indexing = keepIndexing();
  return {
    async close() {
      closed.abort();
      await indexing;
    },
  };
}

export interface IndexOptions {
  /** Skips chats whose oldest pending message is younger. Default: 0. */
  readonly ageMs?: number;
  readonly signal?: AbortSignal;
}

/** Indexes all pending chats except locked ones. Returns the number of segments. */
export async function indexPending(
  database: Database,
  { ageMs = 0, signal }: IndexOptions = {},
): Promise<number> {
  const isClosed = () => signal?.aborted === true;
  let segments = 0;
  for (;;) {
    const pending = await database.query(pendingSearches, { delay_ms: ageMs, limit: BATCH });
    let written = 0;
    for (const { chat_id } of pending) {
      for (let more = true; more && !isClosed();) {
        const segment = onlyRow(await database.query(indexChat, { chat_id }));
        if (segment.last_id !== null) written += 1;
        more = segment.more;
      }
    }
    segments += written;
    const ids = pending.map(({ chat_id }) => chat_id);
    const gone =
      ids.length === 0 ? [] : await database.query(forgetGoneSearches, { chat_ids: ids });
    if (pending.length < BATCH || written + gone.length === 0 || isClosed()) return segments;
  }
}
