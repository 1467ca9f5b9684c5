import { statement } from '../statement.ts';

/** A migration that programs which know no more than $1 cannot live with. */
export const findUnusableMigration = statement<{ version: number; name: string }>(
  'find-unusable-migration',
  `SELECT version, name FROM schema_migrations WHERE version > $1 AND needs > $1 ORDER BY version LIMIT 1`,
);
