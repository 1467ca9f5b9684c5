import { statement } from '../statement.ts';

export const readSchemaVersion = statement<{ version: number | null }>(
  'read-schema-version',
  `SELECT max(version) AS version FROM schema_migrations`,
);
