import type { Database } from '../store/database.ts';
import type { Transaction } from '../store/transaction.ts';

/** The call's transaction where it has one, else one of its own: never a second connection inside the first. */
export async function withinTransaction<T>(
  database: Database,
  outer: Transaction | undefined,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return outer === undefined ? await database.transaction(work) : await work(outer);
}
