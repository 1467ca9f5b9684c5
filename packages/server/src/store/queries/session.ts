import { statement } from '../statement.ts';

/** As the first statement of a transaction: all that follow see the same state of the database. */
export const repeatableRead = statement<null, never>(
  'repeatable-read',
  `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`,
);

/** `18.4`, without what a distribution adds. */
export const readPostgresVersion = statement<null, { version: string }>(
  'read-postgres-version',
  `SELECT split_part(current_setting('server_version'), ' ', 1) AS version`,
);
