import type { ClientBase } from 'pg';
import { appliedMigrations, pendingMigrations } from '../store/migrate/migrate.ts';
import { labelOf, type Migration } from '../store/migrate/migration.ts';
import { WAITING_HINT, whoIsInTheWay } from '../store/migrate/older-replicas.ts';
import { type Finding, fromError, ok, warning } from './finding.ts';

/** What this program, which has these migrations, would find in a database. */
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
    return [ok(name, 'It has no tables yet; the first start makes them')];
  const applied = await appliedMigrations(client);
  try {
    const pending = pendingMigrations(own, applied);
    const isNewer = applied.some(({ version }) => version > (own.at(-1)?.version ?? 0));
    if (isNewer) return [ok(name, 'A newer chatd has migrated it; this version works with it')];
    if (pending.length === 0) return [ok(name, 'Its tables are those of this version')];
    const waiting: Finding[] = [];
    for (const migration of pending.filter(({ needs }) => needs > 0)) {
      const blocked = await whoIsInTheWay(client, migration, leaseMs);
      if (blocked !== undefined) {
        waiting.push(
          warning(
            name,
            `The migration ${labelOf(migration)} takes away what older replicas use, and waits for ${blocked.inTheWay.join('; ')}.`,
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
        `${left} migrations are to be applied.`,
        'The next start does it. Make a backup first: chatd backup.',
      ),
    ];
  } catch (error) {
    return [fromError(name, error)];
  }
}
