-- Groups of users. The members of a mirrored group follow the groups claim of the identity provider.
CREATE TABLE groups (
  id                 uuid PRIMARY KEY,
  name               text NOT NULL UNIQUE,
  mirrored           boolean NOT NULL DEFAULT false,
  -- Of all members together, per calendar month. Null: no limit.
  spend_limit_micros bigint CHECK (spend_limit_micros >= 0),
  created_at         timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE group_members (
  group_id uuid NOT NULL REFERENCES groups ON DELETE CASCADE,
  user_id  uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  PRIMARY KEY (group_id, user_id)
);
CREATE INDEX group_members_by_user ON group_members (user_id);

-- The groups whose members can use it. Null: all users. Empty: only admins. No foreign keys, so that a deleted group
-- never lifts a restriction.
ALTER TABLE model_configs ADD COLUMN group_ids uuid[];
ALTER TABLE mcp_servers ADD COLUMN group_ids uuid[];
