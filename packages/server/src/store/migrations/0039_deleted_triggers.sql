-- The approval rules of deleted triggers, which go on to apply to the chats that they have started.
CREATE TABLE deleted_trigger_approvals (
  trigger_id uuid PRIMARY KEY,
  rules      jsonb NOT NULL
);

-- For the events of a chat that is purged.
CREATE INDEX outbox_by_subject ON outbox (subject_id);
