import { onlyRow, type Queryable, statement } from '../statement.ts';

export const databaseTime = statement<null, { ms: number }>(
  'database-time',
  `SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms`,
);

/** In milliseconds since 1970. The same for all replicas, whatever their clocks show. */
export async function readDatabaseTime(database: Queryable): Promise<number> {
  return onlyRow(await database.query(databaseTime)).ms;
}
