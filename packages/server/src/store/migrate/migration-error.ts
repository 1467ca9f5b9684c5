import { type AppliedMigration, labelOf, type Migration, numberOf } from './migration.ts';
import { WAITING_HINT, type WaitingMigration } from './older-replicas.ts';

export type MigrationErrorKind =
  | 'unsupported_postgres'
  | 'newer_schema'
  | 'older_replicas'
  | 'changed_migration'
  | 'missing_migration'
  | 'migration_failed';

/** The database is unchanged, or at the last migration that succeeded. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
  readonly kind: MigrationErrorKind;
  readonly hint: string;

  constructor(input: { kind: MigrationErrorKind; message: string; hint: string; cause?: unknown }) {
    super(input.message, input.cause === undefined ? undefined : { cause: input.cause });
    this.kind = input.kind;
    this.hint = input.hint;
  }
}

export function othersAreBusy(migration: Migration, cause: unknown): MigrationError {
  return new MigrationError({
    kind: 'migration_failed',
    message: `The migration ${labelOf(migration)} waits for another transaction, such as a backup; retrying`,
    hint: 'It continues when the other transaction has ended.',
    cause,
  });
}

/** For a migration that this program requires. */
export function othersAreOlder({ migration, inTheWay }: WaitingMigration): MigrationError {
  return new MigrationError({
    kind: 'older_replicas',
    message:
      `The migration ${migration} removes something that older replicas use, and this version cannot run beside them. ` +
      `It waits for ${inTheWay.join('; ')}. ${WAITING_HINT}`,
    hint: WAITING_HINT,
  });
}

export function migrationFailed(migration: Migration, cause: unknown): MigrationError {
  return new MigrationError({
    kind: 'migration_failed',
    message: `The migration ${labelOf(migration)} failed and was rolled back: ${String(cause)}`,
    hint: 'Fix the cause and start again. Earlier migrations stay applied.',
    cause,
  });
}

export function newerSchema(
  found: Pick<Migration, 'version' | 'name'>,
  newest: number,
): MigrationError {
  return new MigrationError({
    kind: 'newer_schema',
    message:
      `This database was migrated by a newer chatd: it has the migration ${labelOf(found)}, ` +
      `and this program knows migrations up to ${numberOf(newest)}.`,
    hint: 'Upgrade chatd to at least the version that migrated the database, or restore a backup from before the migration.',
  });
}

export function missingMigration(found: AppliedMigration): MigrationError {
  return new MigrationError({
    kind: 'missing_migration',
    message: `This database has the migration ${labelOf(found)}, which this chatd does not know.`,
    hint: 'The database was migrated by a different build of chatd. Use that build, or set CHATD_DATABASE_URL to another database.',
  });
}

export function changedMigration(found: AppliedMigration): MigrationError {
  return new MigrationError({
    kind: 'changed_migration',
    message: `The file of the migration ${labelOf(found)} differs from the one that was applied to this database.`,
    hint: 'Restore the file and put the change into a new migration.',
  });
}
