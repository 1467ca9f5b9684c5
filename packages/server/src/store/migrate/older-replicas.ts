import type { ClientBase } from 'pg';
import { unregisteredUntil } from '../queries/schema-migrations.ts';
import { type OlderReplica, olderReplicas } from '../queries/workers.ts';
import { valuesOf } from '../statement.ts';
import { labelOf, type Migration } from './migration.ts';

/** With this migration replicas began to say which program they are. */
const REGISTERED_SINCE = 12;
/** A rolling upgrade is over by then. */
const UNREGISTERED_MINUTES = 10;
/** Of a replica that does not say what its lease is: that of the default settings, or ours if it is longer. */
const USUAL_LEASE_MS = 30_000;

/** A migration that takes something away, and who would miss it. */
export interface WaitingMigration {
  readonly migration: string;
  /** A line each: who it is, what it knows, and when it was heard of. */
  readonly inTheWay: readonly string[];
}

export const WAITING_HINT =
  'Replace or stop them: it is applied by itself when they are gone. ' +
  'CHATD_MIGRATE_WITHOUT_WAITING=1 applies it at the next start in spite of them, and they stop working.';

/** Undefined: nobody is in the way. To be asked under the lock of migrations, under which replicas register. */
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
  const heard = `heard of ${Math.round(silent_seconds)} s ago`;
  if (knows === null) {
    return `the replica ${id} of an earlier version, which does not say what it knows, ${heard}`;
  }
  return (
    `the replica ${id} on ${host ?? 'an unknown machine'} (chatd ${program ?? 'of an unknown version'}, ` +
    `which knows migrations up to ${String(knows).padStart(4, '0')}), ${heard}`
  );
}

const mayBeThere = (until: Date): string =>
  `replicas of earlier versions that run no chats do not say that they are there: ` +
  `they are given until ${until.toISOString().slice(0, 16).replace('T', ' ')} UTC to be replaced`;
