-- Computers that host workspaces. workspaces.host_id is the id of a machine; the row of a local machine appears when its
-- server starts.
CREATE TABLE machines (
  id              uuid PRIMARY KEY,
  name            text NOT NULL UNIQUE,
  -- local: part of a server process. remote: connects with a token.
  kind            text NOT NULL CHECK (kind IN ('local', 'remote')),
  -- The hash of the token. Null: local.
  secret_hash     bytea UNIQUE,
  -- Set by admins.
  labels          jsonb NOT NULL DEFAULT '{}',
  -- Reported by the machine. A label of an admin takes precedence.
  reported_labels jsonb NOT NULL DEFAULT '{}',
  -- Gets no new workspaces.
  draining        boolean NOT NULL DEFAULT false,
  -- The only workspace that the machine hosts, if it was provisioned for one.
  reserved_for    uuid UNIQUE,
  -- Reported with the last connection.
  version         text,
  capabilities    jsonb NOT NULL DEFAULT '{}',
  created_at      timestamptz NOT NULL DEFAULT now(),
  last_seen_at    timestamptz,
  CHECK ((kind = 'remote') = (secret_hash IS NOT NULL))
);

-- The replica that holds the connection of a machine. The connection lives as long as the replica (workers). A newer
-- connection has a greater epoch, which fences the older one; the row stays after a disconnect to keep the epoch.
CREATE TABLE machine_connections (
  machine_id   uuid PRIMARY KEY REFERENCES machines ON DELETE CASCADE,
  -- Null: disconnected.
  replica_id   uuid,
  epoch        bigint NOT NULL,
  -- Where other replicas reach the one that holds the connection.
  internal_url text NOT NULL,
  connected_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX machine_connections_by_replica ON machine_connections (replica_id) WHERE replica_id IS NOT NULL;
