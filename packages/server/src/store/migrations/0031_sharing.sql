-- Who can access a chat besides its owner. Subagents are shared with their root chat. Without a user and a group, the grant
-- is for all users.
CREATE TABLE chat_grants (
  chat_id  uuid NOT NULL REFERENCES chats ON DELETE CASCADE,
  user_id  uuid REFERENCES users ON DELETE CASCADE,
  group_id uuid REFERENCES groups ON DELETE CASCADE,
  role     text NOT NULL CHECK (role IN ('viewer', 'editor')),
  CHECK (user_id IS NULL OR group_id IS NULL)
);
CREATE UNIQUE INDEX chat_grants_by_chat
  ON chat_grants (chat_id, coalesce(user_id, group_id, '00000000-0000-0000-0000-000000000000'));
CREATE INDEX chat_grants_by_user ON chat_grants (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX chat_grants_by_group ON chat_grants (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX chat_grants_for_everyone ON chat_grants (chat_id) WHERE user_id IS NULL AND group_id IS NULL;

-- Links that show a chat without an account. A secret has 256 random bits, so its plain SHA-256 is enough.
CREATE TABLE chat_links (
  chat_id     uuid PRIMARY KEY REFERENCES chats ON DELETE CASCADE,
  secret_hash bytea NOT NULL UNIQUE,
  created_at  timestamptz NOT NULL DEFAULT now(),
  expires_at  timestamptz
);

-- Up to which version a user has read a chat that is shared with them. The owner's is on the chat.
CREATE TABLE chat_reads (
  chat_id      uuid NOT NULL REFERENCES chats ON DELETE CASCADE,
  user_id      uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  read_version bigint NOT NULL,
  PRIMARY KEY (chat_id, user_id)
);
CREATE INDEX chat_reads_by_user ON chat_reads (user_id);

-- The name of a sender who does not own the chat, for the model.
ALTER TABLE queued_messages ADD COLUMN author text;
