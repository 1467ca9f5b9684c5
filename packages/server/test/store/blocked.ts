import { statement } from '../../src/store/statement.ts';
import type { TestStore } from '@chatd/test-server/database';

const waiting = statement<{ words: string }, { query: string }>(
  'test-waiting',
  `SELECT query FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%' || :words::text || '%'`,
);

const soon = () => new Promise<false>((resolve) => setTimeout(resolve, 1, false));

/** Resolves once a statement with these words waits for a lock. */
export async function blockedBy(store: TestStore, words: string): Promise<void> {
  for (;;) {
    const rows = await store.database.query(waiting, { words });
    if (rows.length > 0) return;
    await soon();
  }
}

/** Resolves once the work has ended, or a statement with these words waits for a lock. */
export async function settledOrBlocked(
  store: TestStore,
  work: Promise<unknown>,
  words = 'chats',
): Promise<'settled' | 'blocked'> {
  const settled = work.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([settled, soon()]))) {
    if ((await store.database.query(waiting, { words })).length > 0) return 'blocked';
  }
  return 'settled';
}
