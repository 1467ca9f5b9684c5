import { statement } from '../statement.ts';

export const readSchemaVersion = statement<null, { version: number | null }>(
  'read-schema-version',
  `SELECT max(version) AS version FROM schema_migrations`,
);

/** A migration that is incompatible with programs that know no more than :version. */
export const findUnusableMigration = statement<
  { version: number },
  { version: number; name: string }
>(
  'find-unusable-migration',
  `SELECT version, name FROM schema_migrations WHERE version > :version AND needs > :version ORDER BY version LIMIT 1`,
);

/**
 * How long unregistered replicas may still run: :minutes after the migration :version, which introduced the
 * registration. No row for databases created with that migration.
 */
export const unregisteredUntil = statement<{ version: number; minutes: number }, { until: Date }>(
  'unregistered-until',
  `SELECT applied_at + :minutes::int * interval '1 minute' AS until
     FROM schema_migrations AS began
    WHERE version = :version::int
      AND applied_at + :minutes::int * interval '1 minute' > clock_timestamp()
      AND EXISTS (SELECT FROM schema_migrations AS earlier
                   WHERE earlier.applied_at < began.applied_at - interval '1 minute')`,
);
