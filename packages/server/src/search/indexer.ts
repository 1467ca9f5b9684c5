import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import {
  beginIndexing,
  continueIndexing,
  endIndexing,
  forgetGoneSearches,
  lockChatForSearch,
  pendingSearches,
  reopenSearchSegment,
  writeSearchSegment,
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
      while (!isClosed() && (await indexNext(database, chat_id))) written += 1;
    }
    segments += written;
    const ids = pending.map(({ chat_id }) => chat_id);
    const gone =
      ids.length === 0 ? [] : await database.query(forgetGoneSearches, { chat_ids: ids });
    if (pending.length < BATCH || written + gone.length === 0 || isClosed()) return segments;
  }
}

/** Writes one segment in a short transaction, since it locks the chat. False: nothing left to do. */
async function indexNext(database: Database, chatId: string): Promise<boolean> {
  return await database.transaction(async (tx) => {
    if ((await tx.query(lockChatForSearch, { chat_id: chatId })).length === 0) return false;
    const [pending] = await tx.query(beginIndexing, { chat_id: chatId });
    if (pending === undefined) return false;
    const [reopened] = await tx.query(reopenSearchSegment, { chat_id: chatId });
    const from = Math.min(pending.from_id, reopened?.first_id ?? pending.from_id);
    const { last_id, more } = onlyRow(
      await tx.query(writeSearchSegment, { chat_id: chatId, from_id: from }),
    );
    if (more && last_id !== null)
      await tx.query(continueIndexing, { chat_id: chatId, from_id: last_id + 1 });
    else await tx.query(endIndexing, { chat_id: chatId });
    return last_id !== null;
  });
}
