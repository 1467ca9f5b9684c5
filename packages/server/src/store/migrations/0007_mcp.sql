-- MCP servers: where agents get tools from that are not ours.
CREATE TABLE mcp_servers (
  id              uuid PRIMARY KEY,
  -- Goes before the names of its tools.
  name            text NOT NULL UNIQUE,
  transport       text NOT NULL CHECK (transport IN ('http', 'sse', 'stdio')),
  url             text,
  command         text,
  args            text[] NOT NULL DEFAULT '{}',
  -- What may be shown of how to sign in there.
  auth            jsonb NOT NULL DEFAULT '{"type": "none"}',
  -- The rest of it, and the environment of its command, encrypted for this row.
  secrets         text,
  env_names       text[] NOT NULL DEFAULT '{}',
  -- Patterns; null: all of its tools.
  tool_allow      text[],
  tool_deny       text[] NOT NULL DEFAULT '{}',
  timeout_seconds integer NOT NULL,
  trusted         boolean NOT NULL,
  default_on      boolean NOT NULL,
  enabled         boolean NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  -- Grows with every change: who is connected knows by it that something else is meant now.
  revision        bigint NOT NULL DEFAULT 1,
  CHECK ((transport = 'stdio') = (command IS NOT NULL)),
  CHECK ((transport = 'stdio') = (url IS NULL))
);

-- Who has signed in to a server that wants to know who it works for. A session is its user's alone.
CREATE TABLE mcp_sessions (
  server_id  uuid NOT NULL REFERENCES mcp_servers ON DELETE CASCADE,
  user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  -- Where tokens come from, and until when they hold.
  details    jsonb NOT NULL,
  -- The tokens, encrypted for the pair.
  secrets    text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (server_id, user_id)
);
CREATE INDEX mcp_sessions_by_user ON mcp_sessions (user_id);

-- Users who were sent to sign in and have not come back yet.
CREATE TABLE mcp_sign_ins (
  state_hash bytea PRIMARY KEY,
  server_id  uuid NOT NULL REFERENCES mcp_servers ON DELETE CASCADE,
  user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  details    jsonb NOT NULL,
  secrets    text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX mcp_sign_ins_by_user ON mcp_sign_ins (user_id);
CREATE INDEX mcp_sign_ins_by_server ON mcp_sign_ins (server_id);
