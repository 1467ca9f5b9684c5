import type { Database } from './database.ts';
import { repeatableRead } from './queries/session.ts';
import type { Queryable } from './statement.ts';

/** API reads that must agree with each other: all see the same state of the database. */
export async function snapshot<T>(
  database: Database,
  read: (db: Queryable) => Promise<T>,
): Promise<T> {
  return await database.readTransaction(async (tx) => {
    const [, result] = await Promise.all([tx.query(repeatableRead), read(tx)]);
    return result;
  });
}
