import type { Database } from './database.ts';
import { repeatableRead } from './queries/session.ts';
import type { Queryable } from './statement.ts';

/** API reads in one snapshot of the database. */
export async function snapshot<T>(
  database: Database,
  read: (db: Queryable) => Promise<T>,
): Promise<T> {
  return await database.readTransaction(async (tx) => {
    const [, result] = await Promise.all([tx.query(repeatableRead), read(tx)]);
    return result;
  });
}
