-- Versions of a chat. An edit or a new answer moves the messages after a point of the history to a stored version. One
-- version of each point is current: its messages are in `messages`. A point is a message and its revision, because an
-- edited message keeps its id; 0 is the beginning. A version whose point is itself in a stored version is out of reach
-- until that version is selected.
CREATE TABLE chat_versions (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  chat_id        uuid NOT NULL REFERENCES chats ON DELETE CASCADE,
  after_id       bigint NOT NULL,
  after_revision bigint NOT NULL,
  is_current     boolean NOT NULL,
  -- Of the chat when the version was stored: calls without a result, and whether its turn did not end.
  open_calls     jsonb NOT NULL DEFAULT '[]',
  interrupted    boolean NOT NULL DEFAULT false,
  created_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX chat_versions_by_chat ON chat_versions (chat_id, after_id, id);
CREATE UNIQUE INDEX chat_versions_one_current ON chat_versions (chat_id, after_id, after_revision) WHERE is_current;

-- The messages of stored versions: the columns of `messages` without those that find a repeated commit. The files that
-- they name stay in use, because a chat uses all files that it has ever named.
CREATE TABLE version_messages (
  version_id        bigint NOT NULL REFERENCES chat_versions ON DELETE CASCADE,
  id                bigint NOT NULL,
  role              text NOT NULL,
  revision          bigint NOT NULL,
  hidden            boolean NOT NULL,
  content           json NOT NULL,
  meta              json,
  created_at        timestamptz NOT NULL,
  created_by        uuid,
  model_config_id   uuid,
  usage             integer[],
  cost_micros       bigint,
  runtime_ms        bigint,
  queued_message_id bigint,
  PRIMARY KEY (version_id, id)
);
