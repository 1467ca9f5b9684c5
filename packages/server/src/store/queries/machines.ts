import type { JsonText } from '../json.ts';
import type { MachineConnectionRow, MachineRow } from '../machines.ts';
import { statement } from '../statement.ts';

/** The replica in `workers` is alive. Leases count from the restart of PostgreSQL, like those of workers. */
const IS_ALIVE = `greatest(workers.heartbeat_at, pg_postmaster_start_time())
  >= clock_timestamp() - coalesce(workers.lease_ms, 0) * interval '1 millisecond'`;

const IS_ONLINE = `EXISTS (SELECT FROM machine_connections JOIN workers ON workers.id = machine_connections.replica_id
                WHERE machine_connections.machine_id = machines.id AND ${IS_ALIVE})`;

/** Through workspaces_by_host. */
const WORKSPACES = `(SELECT count(*) FROM workspaces
             WHERE host_id = machines.id AND removed_at IS NULL AND status <> 'deleted' AND owner_id IS NOT NULL)`;

const LABELS = `(machines.reported_labels || machines.labels)`;

const MACHINE_COLUMNS = `machines.id, machines.name, machines.kind, ${LABELS} AS labels, machines.labels AS admin_labels,
  machines.draining, machines.reserved_for, machines.version, machines.capabilities, machines.created_at,
  machines.last_seen_at, ${IS_ONLINE} AS online, ${WORKSPACES} AS workspaces`;

export const listMachines = statement<{ after_id: string | null; limit: number }, MachineRow>(
  'list-machines',
  `SELECT ${MACHINE_COLUMNS}
     FROM machines
    WHERE :after_id::uuid IS NULL OR id > :after_id
    ORDER BY id
    LIMIT :limit`,
);

export const findMachine = statement<{ id: string }, MachineRow>(
  'find-machine',
  `SELECT ${MACHINE_COLUMNS} FROM machines WHERE id = :id`,
);

/** Waits for placements of new workspaces, and delays later ones until the transaction ends. */
export const lockMachine = statement<{ id: string }, { id: string }>(
  'lock-machine',
  `SELECT id FROM machines WHERE id = :id FOR UPDATE`,
);

/** One lookup in a unique index. */
export const findMachineByToken = statement<{ secret_hash: Buffer }, MachineRow>(
  'find-machine-by-token',
  `SELECT ${MACHINE_COLUMNS} FROM machines WHERE secret_hash = :secret_hash`,
);

/** No row: the name is taken. */
export const insertMachine = statement<
  {
    id: string;
    name: string;
    labels: JsonText;
    secret_hash: Buffer;
    reserved_for: string | null;
  },
  { id: string }
>(
  'insert-machine',
  `INSERT INTO machines (id, name, kind, labels, secret_hash, reserved_for)
   VALUES (:id, :name, 'remote', :labels, :secret_hash, :reserved_for)
   ON CONFLICT (name) DO NOTHING
   RETURNING id`,
);

/** Keeps the name, labels and draining of an existing row. Appends a part of the id if the name is taken. */
export const registerLocalMachine = statement<{ id: string; name: string }, never>(
  'register-local-machine',
  `INSERT INTO machines (id, name, kind)
   SELECT :id::uuid,
          CASE WHEN EXISTS (SELECT FROM machines WHERE name = :name) THEN :name || '-' || left(:id::uuid::text, 8)
               ELSE :name END,
          'local'
    WHERE NOT EXISTS (SELECT FROM machines WHERE id = :id)
   ON CONFLICT (id) DO NOTHING`,
);

/** Null: unchanged. No row: the machine was deleted, or the name is taken. */
export const updateMachine = statement<
  { id: string; name: string | null; labels: JsonText | null; draining: boolean | null },
  { id: string }
>(
  'update-machine',
  `UPDATE machines
      SET name = coalesce(:name, name), labels = coalesce(:labels, labels), draining = coalesce(:draining, draining)
    WHERE id = :id AND NOT EXISTS (SELECT FROM machines other WHERE other.name = :name AND other.id <> :id)
   RETURNING id`,
);

/** Fences the connection with the previous token. */
export const rotateMachineToken = statement<{ id: string; secret_hash: Buffer }, { id: string }>(
  'rotate-machine-token',
  `WITH ended AS (
     UPDATE machine_connections SET replica_id = NULL, epoch = epoch + 1 WHERE machine_id = :id
   )
   UPDATE machines SET secret_hash = :secret_hash WHERE id = :id
   RETURNING id`,
);

/** Its workspaces are deleted with it. */
export const deleteMachine = statement<{ id: string }, never>(
  'delete-machine',
  `WITH lost AS (
     UPDATE workspaces SET status = 'deleted', removed_at = now(), updated_at = now(), log = ''
      WHERE host_id = :id AND removed_at IS NULL
   )
   DELETE FROM machines WHERE id = :id`,
);

/**
 * Records a new connection, which fences earlier ones, and what the machine reported. With :only_if_free, takes over
 * from dead replicas only. No row: the machine was deleted, or a living replica holds it. The machine's :name is ignored
 * if it is taken.
 */
export const connectMachine = statement<
  {
    machine_id: string;
    replica_id: string;
    internal_url: string;
    only_if_free: boolean;
    name: string | null;
    reported_labels: JsonText;
    version: string;
    capabilities: JsonText;
  },
  { epoch: number }
>(
  'connect-machine',
  `WITH taken AS (
     INSERT INTO machine_connections AS held (machine_id, replica_id, epoch, internal_url)
     SELECT id, :replica_id, 1, :internal_url FROM machines WHERE id = :machine_id
     ON CONFLICT (machine_id) DO UPDATE
       SET replica_id = excluded.replica_id, internal_url = excluded.internal_url, epoch = held.epoch + 1,
           connected_at = now()
     WHERE NOT :only_if_free
        OR NOT EXISTS (SELECT FROM workers WHERE workers.id = held.replica_id AND ${IS_ALIVE})
     RETURNING machine_id, epoch
   ), seen AS (
     UPDATE machines
        SET last_seen_at = now(), version = :version, capabilities = :capabilities, reported_labels = :reported_labels,
            name = CASE WHEN EXISTS (SELECT FROM machines other WHERE other.name = :name) THEN machines.name
                        ELSE coalesce(:name, machines.name) END
       FROM taken
      WHERE machines.id = taken.machine_id
   )
   SELECT epoch FROM taken`,
);

/** The connections that this replica holds. Another epoch, or no row, means that a newer connection fenced the older. */
export const heldMachines = statement<
  { replica_id: string },
  { machine_id: string; epoch: number }
>(
  'held-machines',
  `SELECT machine_id, epoch FROM machine_connections WHERE replica_id = :replica_id`,
);

/** For all machines that this replica holds, about once a minute. */
export const machinesSeen = statement<{ replica_id: string }, never>(
  'machines-seen',
  `UPDATE machines SET last_seen_at = now()
     FROM machine_connections
    WHERE machine_connections.replica_id = :replica_id AND machine_connections.machine_id = machines.id`,
);

/** What a machine can do, if it has changed since the machine connected. */
export const recordCapabilities = statement<{ machine_id: string; capabilities: JsonText }, never>(
  'record-capabilities',
  `UPDATE machines SET capabilities = :capabilities WHERE id = :machine_id`,
);

/** Has no effect on a newer connection. */
export const disconnectMachine = statement<{ machine_id: string; epoch: number }, never>(
  'disconnect-machine',
  `WITH ended AS (
     UPDATE machine_connections SET replica_id = NULL WHERE machine_id = :machine_id AND epoch = :epoch
     RETURNING machine_id
   )
   UPDATE machines SET last_seen_at = now() FROM ended WHERE machines.id = ended.machine_id`,
);

/** No row: the machine is offline. */
export const findMachineConnection = statement<{ machine_id: string }, MachineConnectionRow>(
  'find-machine-connection',
  `SELECT machine_id, machines.name AS machine_name, workers.id AS replica_id, workers.host, epoch, internal_url
     FROM machine_connections
     JOIN machines ON machines.id = machine_connections.machine_id
     JOIN workers ON workers.id = machine_connections.replica_id
    WHERE machine_id = :machine_id AND ${IS_ALIVE}`,
);

/**
 * The online machine with the fewest workspaces that has all labels and capabilities. In the transaction that inserts
 * the workspace: the lock keeps the machine from being deleted meanwhile.
 */
export const placeWorkspace = statement<
  { labels: JsonText; capabilities: JsonText },
  { id: string; name: string }
>(
  'place-workspace',
  `SELECT id, name
     FROM machines
    WHERE NOT draining AND reserved_for IS NULL AND ${LABELS} @> :labels AND capabilities @> :capabilities
      AND ${IS_ONLINE}
    ORDER BY ${WORKSPACES}, id
    LIMIT 1
      FOR KEY SHARE`,
);

/** The living replicas that hold connections of machines. */
export const machineReplicas = statement<
  { limit: number },
  { internal_url: string; host: string | null }
>(
  'machine-replicas',
  `SELECT DISTINCT internal_url, workers.host
     FROM machine_connections
     JOIN workers ON workers.id = machine_connections.replica_id
    WHERE ${IS_ALIVE}
    ORDER BY internal_url
    LIMIT :limit`,
);

/** Machines that have connected at least once, and are not reserved for a single workspace. */
export const countMachines = statement<null, { online: number; offline: number; draining: number }>(
  'count-machines',
  `SELECT count(*) FILTER (WHERE NOT draining AND ${IS_ONLINE}) AS online,
          count(*) FILTER (WHERE NOT draining AND NOT ${IS_ONLINE}) AS offline,
          count(*) FILTER (WHERE draining) AS draining
     FROM machines
    WHERE last_seen_at IS NOT NULL AND reserved_for IS NULL`,
);

/** The calls without a result of these chats. By primary key. */
export const openCallsOf = statement<
  { chat_ids: string[] },
  { chat_id: string; tool_call_id: string }
>(
  'open-calls-of',
  `SELECT chats.id AS chat_id, call ->> 'tool_call_id' AS tool_call_id
     FROM chats, jsonb_array_elements(open_calls) AS call
    WHERE chats.id = ANY (:chat_ids)`,
);
