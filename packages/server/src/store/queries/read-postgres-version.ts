import { statement } from '../statement.ts';

/** `18.4`, without what a distribution adds. */
export const readPostgresVersion = statement<{ version: string }>(
  'read-postgres-version',
  `SELECT split_part(current_setting('server_version'), ' ', 1) AS version`,
);
