import { statement } from '../../src/store/statement.ts';
import type { TestStore } from '../support/store.ts';

const waiting = statement<{ query: string }>(
  'test-waiting',
  `SELECT query FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%'`,
);

/** Resolves once a statement with these words waits for a lock that somebody else holds. */
export async function blockedBy(store: TestStore, words: string): Promise<void> {
  for (;;) {
    const rows = await store.database.query(waiting, [words]);
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
