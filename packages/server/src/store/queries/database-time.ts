import { onlyRow, type Queryable, statement } from '../statement.ts';

export const readNow = statement<null, { now: Date }>('read-now', `SELECT now() AS now`);

/** The same for all replicas, whatever their clocks show. In a transaction, the time of its start. */
export async function databaseTime(database: Queryable): Promise<Date> {
  return onlyRow(await database.query(readNow)).now;
}
