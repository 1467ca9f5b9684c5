-- Accounts ---------------------------------------------------------------------------------------

CREATE TABLE users (
  id            uuid PRIMARY KEY,
  username      text NOT NULL UNIQUE,
  role          text NOT NULL CHECK (role IN ('admin', 'member')),
  password_hash text,
  created_at    timestamptz NOT NULL DEFAULT now()
);

-- A secret has 256 random bits, so its plain SHA-256 is enough: there is nothing to guess.
CREATE TABLE tokens (
  id           uuid PRIMARY KEY,
  user_id      uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name         text NOT NULL,
  secret_hash  bytea NOT NULL UNIQUE,
  scopes       text[],
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz,
  last_used_at timestamptz,
  -- Given by the operator at the start, and valid for as long as it is.
  bootstrap    boolean NOT NULL DEFAULT false
);
CREATE INDEX tokens_by_user ON tokens (user_id, id);

CREATE TABLE sessions (
  secret_hash bytea PRIMARY KEY,
  user_id     uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at  timestamptz NOT NULL DEFAULT now(),
  expires_at  timestamptz NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE sign_in_links (
  secret_hash bytea PRIMARY KEY,
  user_id     uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX sign_in_links_by_user ON sign_in_links (user_id);

-- Configuration ----------------------------------------------------------------------------------

CREATE TABLE settings (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  value    jsonb NOT NULL
);
INSERT INTO settings (value) VALUES ('{}');

CREATE TABLE providers (
  id         uuid PRIMARY KEY,
  type       text NOT NULL,
  name       text NOT NULL,
  enabled    boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE model_configs (
  id           uuid PRIMARY KEY,
  provider_id  uuid NOT NULL REFERENCES providers,
  model        text NOT NULL,
  display_name text NOT NULL,
  context_limit        integer NOT NULL CHECK (context_limit > 0),
  compaction_threshold integer NOT NULL DEFAULT 70 CHECK (compaction_threshold BETWEEN 0 AND 100),
  -- What only the model call reads: sampling, effort, price, web search, provider options.
  options      jsonb NOT NULL DEFAULT '{}',
  enabled      boolean NOT NULL DEFAULT true,
  is_default   boolean NOT NULL DEFAULT false,
  created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX model_configs_one_default ON model_configs (is_default) WHERE is_default;

-- The demo model needs no key: a chat can be created from the first migration on.
INSERT INTO providers (id, type, name)
VALUES ('00000000-0000-7000-8000-000000000001', 'demo', 'Demo');
INSERT INTO model_configs (id, provider_id, model, display_name, context_limit, is_default)
VALUES ('00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000001',
        'demo', 'Demo model (no key needed)', 200000, true);

-- Chats ------------------------------------------------------------------------------------------

-- One row a worker process: its heartbeat is the lease of all chats that name it. A logged table, since
-- an unlogged one is emptied by a crash and all leases would look expired at once.
CREATE TABLE workers (
  id           uuid PRIMARY KEY,
  heartbeat_at timestamptz NOT NULL
);

-- The hot row of a chat. A step updates it in place (HOT): none of the columns that a step changes may appear
-- in an index, not even in an index's condition. They stand together at the end: of an update, the log holds
-- what lies between the first and the last byte that changed.
CREATE TABLE chats (
  id               uuid PRIMARY KEY,
  owner_id         uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  parent_chat_id   uuid REFERENCES chats ON DELETE CASCADE,
  root_chat_id     uuid REFERENCES chats ON DELETE CASCADE,
  created_at       timestamptz NOT NULL DEFAULT now(),
  title            text NOT NULL,
  labels           jsonb NOT NULL DEFAULT '{}',
  pin_order        integer NOT NULL DEFAULT 0 CHECK (pin_order >= 0),
  plan_mode        boolean NOT NULL DEFAULT false,
  model_config_id  uuid NOT NULL REFERENCES model_configs,
  reasoning_effort text,
  system_prompt    text,
  dynamic_tools    jsonb NOT NULL DEFAULT '[]',
  mcp_server_ids   uuid[] NOT NULL DEFAULT '{}',
  workspace_id     uuid,
  archived         boolean NOT NULL DEFAULT false,
  deleted_at       timestamptz,

  -- The fence: new with every acquisition, null when nobody runs the chat.
  runner_id        uuid,
  worker_id        uuid,

  status           text NOT NULL
    CHECK (status IN ('waiting', 'running', 'interrupting', 'requires_action', 'error')),
  -- When a turn last began or ended. Indexed for the list, so steps leave it alone.
  active_at        timestamptz NOT NULL DEFAULT now(),
  queue_length     integer NOT NULL DEFAULT 0 CHECK (queue_length >= 0),
  queue_version    bigint NOT NULL,
  -- The history version of the last edit: cursors older than it start over.
  reset_version    bigint NOT NULL DEFAULT 0,
  read_version     bigint NOT NULL DEFAULT 0,
  action_deadline  timestamptz,
  last_error       jsonb,
  queued_for_capacity  boolean NOT NULL DEFAULT false,
  compaction_requested boolean NOT NULL DEFAULT false,
  retry            jsonb,
  retry_version    bigint NOT NULL DEFAULT 0,

  attempt          integer NOT NULL DEFAULT 0,
  snapshot_version bigint NOT NULL,
  history_version  bigint NOT NULL,
  -- The version of the newest answer; unread is a comparison with read_version.
  reply_version    bigint NOT NULL DEFAULT 0,
  updated_at       timestamptz NOT NULL DEFAULT now(),
  -- Tool calls of the history that have no result yet: [{tool_call_id, tool_name, kind}].
  open_calls       jsonb NOT NULL DEFAULT '[]',

  -- States that no sequence of commands may reach.
  CONSTRAINT archived_is_idle CHECK (NOT archived OR status IN ('waiting', 'error')),
  CONSTRAINT deleted_is_idle CHECK (deleted_at IS NULL OR status IN ('waiting', 'error')),
  CONSTRAINT waiting_has_no_queue CHECK (status <> 'waiting' OR queue_length = 0),
  CONSTRAINT waiting_has_no_open_calls CHECK (status <> 'waiting' OR open_calls = '[]'),
  CONSTRAINT action_has_open_calls CHECK (status <> 'requires_action' OR open_calls <> '[]'),
  CONSTRAINT only_busy_has_a_runner
    CHECK (runner_id IS NULL OR status IN ('running', 'interrupting')),
  CONSTRAINT runner_has_a_worker CHECK ((runner_id IS NULL) = (worker_id IS NULL))
) WITH (fillfactor = 70);

CREATE INDEX chats_by_activity
  ON chats (owner_id, (pin_order = 0), pin_order, active_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX chats_runnable ON chats (active_at) WHERE status IN ('running', 'interrupting');
CREATE INDEX chats_awaiting_action ON chats (action_deadline) WHERE status = 'requires_action';
CREATE INDEX chats_by_root ON chats (root_chat_id) WHERE root_chat_id IS NOT NULL;
CREATE INDEX chats_by_parent ON chats (parent_chat_id) WHERE parent_chat_id IS NOT NULL;
CREATE INDEX chats_deleted ON chats (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE messages (
  id                bigint GENERATED ALWAYS AS IDENTITY,
  chat_id           uuid NOT NULL REFERENCES chats ON DELETE CASCADE,
  role              text NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  -- The snapshot version that last touched this row.
  revision          bigint NOT NULL,
  -- Not shown to clients: a summary that stands for what came before it.
  hidden            boolean NOT NULL DEFAULT false,
  content           jsonb NOT NULL,
  -- What the loop keeps for itself: finish reason, response id, provider. Never leaves the server.
  meta              jsonb,
  created_at        timestamptz NOT NULL DEFAULT now(),
  created_by        uuid,
  model_config_id   uuid,
  usage             jsonb,
  cost_micros       bigint,
  runtime_ms        bigint,
  queued_message_id bigint,
  -- Which episode of which runner committed it: how a runner whose commit went unanswered reads back.
  base_version      bigint,
  attempt           integer,
  runner_id         uuid,
  -- Null where there is nothing to find, so that tool steps cost the search index nothing.
  search            tsvector,
  -- Nothing looks for a message without knowing its chat.
  PRIMARY KEY (chat_id, id)
);
CREATE INDEX messages_by_text ON messages USING gin (search) WHERE search IS NOT NULL;

CREATE TABLE queued_messages (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  chat_id          uuid NOT NULL REFERENCES chats ON DELETE CASCADE,
  position         integer NOT NULL,
  busy_behavior    text NOT NULL CHECK (busy_behavior IN ('queue', 'steer', 'interrupt')),
  content          jsonb NOT NULL,
  model_config_id  uuid,
  reasoning_effort text,
  created_by       uuid,
  created_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX queued_messages_by_chat ON queued_messages (chat_id, position);

-- Accounting -------------------------------------------------------------------------------------

-- One row a model call. It outlives edits, chats and users: what was spent stays spent. Nothing ever looks
-- for a single row, so there is no key to maintain; time is in the order of the rows, so BRIN finds ranges.
CREATE TABLE model_calls (
  user_id         uuid NOT NULL,
  chat_id         uuid NOT NULL,
  root_chat_id    uuid NOT NULL,
  model_config_id uuid NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  input_tokens          integer NOT NULL,
  output_tokens         integer NOT NULL,
  reasoning_tokens      integer NOT NULL,
  cache_read_tokens     integer NOT NULL,
  cache_creation_tokens integer NOT NULL,
  cost_micros     bigint,
  runtime_ms      bigint NOT NULL
);
CREATE INDEX model_calls_by_user ON model_calls (user_id, created_at);
CREATE INDEX model_calls_by_family ON model_calls (root_chat_id);
CREATE INDEX model_calls_by_time ON model_calls USING brin (created_at) WITH (pages_per_range = 16);

-- Files ------------------------------------------------------------------------------------------

CREATE TABLE files (
  id         uuid PRIMARY KEY,
  owner_id   uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name       text NOT NULL,
  media_type text NOT NULL,
  size       integer NOT NULL,
  -- Stored outside the row and not compressed: most uploads are compressed already.
  bytes      bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE files ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX files_by_owner ON files (owner_id, id);

-- Idempotency ------------------------------------------------------------------------------------

-- Written in the transaction of the request itself: the answer is kept if and only if the request took effect.
CREATE TABLE idempotency_keys (
  user_id      uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  key          text NOT NULL,
  request_hash bytea NOT NULL,
  status       integer,
  body         text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
