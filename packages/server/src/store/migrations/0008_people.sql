-- What a user has decided about the calls of agents, for good.
CREATE TABLE user_approvals (
  user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  -- [{pattern, action}]; the last that matches wins.
  rules   jsonb NOT NULL
);

-- Subagents are chats. The tool call that asked for one: run again, it finds what it has made.
ALTER TABLE chats
  ADD COLUMN agent_type text CHECK (agent_type IN ('general', 'explore')),
  ADD COLUMN spawned_by_call text UNIQUE;

-- Messages of agents to their subagents that were sent, by the tool call that sent them: none is sent twice.
CREATE TABLE agent_messages (
  call     text PRIMARY KEY,
  agent_id uuid NOT NULL REFERENCES chats ON DELETE CASCADE
);
CREATE INDEX agent_messages_by_agent ON agent_messages (agent_id);

-- Chats whose runner does nothing but wait for subagents: they take nobody's place. Of a runner that is gone, a row says
-- nothing. Beside the chat's row, which is locked much of the time and is written for what clients are told.
CREATE TABLE resting_chats (
  chat_id   uuid PRIMARY KEY REFERENCES chats ON DELETE CASCADE,
  runner_id uuid NOT NULL
);
