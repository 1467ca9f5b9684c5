import type { ClientBase } from 'pg';
import { appliedMigrations, pendingMigrations } from '../store/migrate/migrate.ts';
import { labelOf, type Migration } from '../store/migrate/migration.ts';
import { WAITING_HINT, whoIsInTheWay } from '../store/migrate/older-replicas.ts';
import { type Finding, fromError, ok, warning } from './finding.ts';

/** Compares the schema of a database with the migrations of this version. */
export async function schemaFindings(
  name: string,
  client: ClientBase,
  own: readonly Migration[],
  leaseMs: number,
): Promise<Finding[]> {
  const { rows: tables } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS there`,
  );
  if (tables[0]?.there !== true)
    return [ok(name, 'The database has no tables yet; the first start creates them.')];
  const applied = await appliedMigrations(client);
  try {
    const pending = pendingMigrations(own, applied);
    const isNewer = applied.some(({ version }) => version > (own.at(-1)?.version ?? 0));
    if (isNewer)
      return [
        ok(
          name,
          'The database was migrated by a newer version of chatd. This version works with it.',
        ),
      ];
    if (pending.length === 0) return [ok(name, 'The schema is up to date.')];
    const waiting: Finding[] = [];
    for (const migration of pending.filter(({ needs }) => needs > 0)) {
      const blocked = await whoIsInTheWay(client, migration, leaseMs);
      if (blocked !== undefined) {
        waiting.push(
          warning(
            name,
            `Migration ${labelOf(migration)} removes what older replicas use. It waits for ${blocked.inTheWay.join('; ')}.`,
            WAITING_HINT,
          ),
        );
      }
    }
    const left = pending.length - waiting.length;
    if (left === 0) return waiting;
    return [
      ...waiting,
      warning(
        name,
        `${left} migrations are pending.`,
        'The next start applies them. Make a backup first: chatd backup.',
      ),
    ];
  } catch (error) {
    return [fromError(name, error)];
  }
}
