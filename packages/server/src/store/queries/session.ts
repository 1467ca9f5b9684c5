import { statement } from '../statement.ts';

/** The first statement of a transaction in which all statements see the same snapshot. */
export const repeatableRead = statement<null, never>(
  'repeatable-read',
  `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`,
);

/** For example `18.4`, without the suffix of a distribution. */
export const readPostgresVersion = statement<null, { version: string }>(
  'read-postgres-version',
  `SELECT split_part(current_setting('server_version'), ' ', 1) AS version`,
);
