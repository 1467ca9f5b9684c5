import type { ClientBase } from 'pg';
import { unregisteredUntil } from '../queries/schema-migrations.ts';
import { type OlderReplica, olderReplicas } from '../queries/workers.ts';
import { valuesOf } from '../statement.ts';
import { labelOf, type Migration } from './migration.ts';

/** The migration with which replicas began to register. */
const REGISTERED_SINCE = 12;
/** By then a rolling upgrade is over. */
const UNREGISTERED_MINUTES = 10;
/** The lease of replicas that do not record theirs: the default, or ours if it is longer. */
const USUAL_LEASE_MS = 30_000;

/** A migration that removes something, and the replicas that need it. */
export interface WaitingMigration {
  readonly migration: string;
  /** One line per replica. */
  readonly inTheWay: readonly string[];
}

export const WAITING_HINT =
  'Replace or stop them; the migration is applied when they are gone. ' +
  'CHATD_MIGRATE_WITHOUT_WAITING=1 applies it at the next start anyway, and they stop working.';

/** Undefined: none. Call under the migration lock, under which replicas register. */
export async function whoIsInTheWay(
  client: ClientBase,
  migration: Migration,
  leaseMs: number,
): Promise<WaitingMigration | undefined> {
  const { rows } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('workers') IS NOT NULL AS there`,
  );
  if (rows[0]?.there !== true) return undefined;
  const older = await client.query<OlderReplica>(
    olderReplicas.text,
    valuesOf(olderReplicas, {
      version: migration.needs,
      lease_ms: Math.max(leaseMs, USUAL_LEASE_MS),
    }),
  );
  const silent = await client.query<{ until: Date }>(
    unregisteredUntil.text,
    valuesOf(unregisteredUntil, { version: REGISTERED_SINCE, minutes: UNREGISTERED_MINUTES }),
  );
  const inTheWay = [
    ...older.rows.map(describe),
    ...silent.rows.map(({ until }) => mayBeThere(until)),
  ];
  return inTheWay.length === 0 ? undefined : { migration: labelOf(migration), inTheWay };
}

function describe({ id, knows, program, host, silent_seconds }: OlderReplica): string {
  const heard = `last seen ${Math.round(silent_seconds)} s ago`;
  if (knows === null) {
    return `the replica ${id} of an earlier version, which does not record its migrations, ${heard}`;
  }
  return (
    `the replica ${id} on ${host ?? 'an unknown machine'} (chatd ${program ?? 'of an unknown version'}, ` +
    `which knows migrations up to ${String(knows).padStart(4, '0')}), ${heard}`
  );
}

const mayBeThere = (until: Date): string =>
  `replicas of earlier versions without a worker do not register: ` +
  `they have until ${until.toISOString().slice(0, 16).replace('T', ' ')} UTC to be replaced`;
