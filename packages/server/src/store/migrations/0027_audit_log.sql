-- The audit log: security-relevant changes, each written in the transaction of the change. No foreign keys: events outlive
-- their users, tokens and targets.
CREATE TABLE audit_events (
  id          uuid PRIMARY KEY,
  at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor_kind  text NOT NULL CHECK (actor_kind IN ('user', 'anonymous', 'system')),
  actor_id    uuid,
  actor_name  text,
  token_id    uuid,
  ip          text,
  action      text NOT NULL,
  target_kind text NOT NULL,
  target_id   text,
  detail      jsonb NOT NULL
);
CREATE INDEX audit_events_by_time ON audit_events (at);
CREATE INDEX audit_events_by_actor ON audit_events (actor_id, id) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_events_by_target ON audit_events (target_id, id) WHERE target_id IS NOT NULL;

-- There is a third role, auditor. Programs that do not know it treat it like a member.
ALTER TABLE users DROP CONSTRAINT users_role_check;
