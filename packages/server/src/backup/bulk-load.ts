import type { ClientBase } from 'pg';

/** The statements that recreate what a transaction removed to load rows faster. */
export type Deferred = readonly string[];

/**
 * Drops constraints and indexes and disables triggers. Building them once over all rows is much faster than row by row.
 * What the triggers would write is in the backup, or is rebuilt.
 */
export async function deferChecks(client: ClientBase): Promise<Deferred> {
  // Foreign keys are first, because they depend on the keys that they reference.
  const { rows } = await client.query<{ drop: string; restore: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
            format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS restore,
            CASE contype WHEN 'f' THEN 1 ELSE 2 END AS position
       FROM pg_constraint
      WHERE contype IN ('f', 'p', 'u', 'x') AND connamespace = 'public'::regnamespace
     UNION ALL
     SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid), 3
       FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
      WHERE relnamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
     UNION ALL
     SELECT format('ALTER TABLE %s DISABLE TRIGGER USER', tgrelid::regclass),
            format('ALTER TABLE %s ENABLE TRIGGER USER', tgrelid::regclass), 4
       FROM (SELECT DISTINCT tgrelid FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
              WHERE NOT tgisinternal AND relnamespace = 'public'::regnamespace) AS triggers
      ORDER BY position`,
  );
  for (const { drop } of rows) await client.query(drop);
  return rows.map(({ restore }) => restore).toReversed();
}

export async function restoreChecks(client: ClientBase, deferred: Deferred): Promise<void> {
  await client.query(`SET LOCAL maintenance_work_mem = '256MB'`);
  for (const statement of deferred) await client.query(statement);
}

/** The search index is not in a backup. The server rebuilds it in the background, newest chats first. */
export async function requestIndexing(client: ClientBase): Promise<void> {
  if (!(await hasTable(client, 'search_pending'))) return;
  await client.query(
    'INSERT INTO search_pending (chat_id, owner_id, from_id) SELECT id, owner_id, 0 FROM chats',
  );
}

/** The replicas of the original deployment hold no leases and no machines of this one. */
export async function forgetReplicas(client: ClientBase): Promise<void> {
  await client.query('DELETE FROM workers');
  // The epochs stay, because they fence older connections.
  if (await hasTable(client, 'machine_connections'))
    await client.query('UPDATE machine_connections SET replica_id = NULL');
}

/** Backups of earlier versions lack newer tables. */
async function hasTable(client: ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS found',
    [name],
  );
  return rows[0]?.found === true;
}
