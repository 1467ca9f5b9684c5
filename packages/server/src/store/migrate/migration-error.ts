import { type AppliedMigration, labelOf, type Migration, numberOf } from './migration.ts';
import { WAITING_HINT, type WaitingMigration } from './older-replicas.ts';

export type MigrationErrorKind =
  | 'unsupported_postgres'
  | 'newer_schema'
  | 'older_replicas'
  | 'changed_migration'
  | 'missing_migration'
  | 'migration_failed';

/** The database was left as it was found, or at the last migration that succeeded whole. */
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
    message: `The migration ${labelOf(migration)} waits for a transaction of others, such as a backup; trying again until they are done`,
    hint: 'It goes on by itself when they are done.',
    cause,
  });
}

/** For a migration that this program cannot go without: it waits before it serves. */
export function othersAreOlder({ migration, inTheWay }: WaitingMigration): MigrationError {
  return new MigrationError({
    kind: 'older_replicas',
    message:
      `The migration ${migration} takes away what older replicas use, and this version cannot run beside them. ` +
      `It waits for ${inTheWay.join('; ')}. ${WAITING_HINT}`,
    hint: WAITING_HINT,
  });
}

export function migrationFailed(migration: Migration, cause: unknown): MigrationError {
  return new MigrationError({
    kind: 'migration_failed',
    message: `The migration ${labelOf(migration)} failed and was rolled back: ${String(cause)}`,
    hint: 'Put right what the message names and start again; the earlier migrations stay applied.',
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
    hint: 'Upgrade this chatd to at least the version that migrated the database, or restore the backup from before it.',
  });
}

export function missingMigration(found: AppliedMigration): MigrationError {
  return new MigrationError({
    kind: 'missing_migration',
    message: `This database has the migration ${labelOf(found)}, which this chatd does not know.`,
    hint: 'It was migrated by another line of chatd: use that one, or point CHATD_DATABASE_URL at another database.',
  });
}

export function changedMigration(found: AppliedMigration): MigrationError {
  return new MigrationError({
    kind: 'changed_migration',
    message: `The file of the migration ${labelOf(found)} is not the one that was applied to this database.`,
    hint: 'Migrations never change once applied: restore the file, and put the change into a new migration.',
  });
}
