import { statement } from '../statement.ts';

export const readSchemaVersion = statement<{ version: number | null }>(
  'read-schema-version',
  `SELECT max(version) AS version FROM schema_migrations`,
);

/** A migration that programs which know no more than $1 cannot live with. */
export const findUnusableMigration = statement<{ version: number; name: string }>(
  'find-unusable-migration',
  `SELECT version, name FROM schema_migrations WHERE version > $1 AND needs > $1 ORDER BY version LIMIT 1`,
);

/**
 * Until when replicas may run that have never said so: for $2 minutes after the migration $1, with which they began to. A
 * database that was made together with it has had none.
 */
export const unregisteredUntil = statement<{ until: Date }>(
  'unregistered-until',
  `SELECT applied_at + $2::int * interval '1 minute' AS until
     FROM schema_migrations AS began
    WHERE version = $1::int
      AND applied_at + $2::int * interval '1 minute' > clock_timestamp()
      AND EXISTS (SELECT FROM schema_migrations AS earlier
                   WHERE earlier.applied_at < began.applied_at - interval '1 minute')`,
);
