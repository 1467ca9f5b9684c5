-- Model calls as they were made, while an admin wants them recorded. No reference to the chat: its row is written by
-- every step, and this is written beside the turn. What belongs to no chat any more is removed with what is too old.
-- json, not jsonb: nothing looks inside, and models say things that jsonb refuses.
CREATE TABLE debug_entries (
  id         uuid PRIMARY KEY,
  chat_id    uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  entry      json NOT NULL
);
CREATE INDEX debug_entries_by_chat ON debug_entries (chat_id, id);
CREATE INDEX debug_entries_by_time ON debug_entries (created_at);
