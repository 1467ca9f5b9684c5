import type { Database } from './database.ts';
import type { Transaction } from './transaction.ts';

/** Runs in the given transaction, else in a new one: never on a second connection within the first. */
export async function withinTransaction<T>(
  database: Database,
  outer: Transaction | undefined,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return outer === undefined ? await database.transaction(work) : await work(outer);
}

/** Runs the hook now, or when the given transaction has committed. */
export function afterCommit(tx: Transaction | undefined, hook: () => void): void {
  if (tx === undefined) hook();
  else tx.afterCommit(hook);
}
