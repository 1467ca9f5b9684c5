-- What workspaces are made from. Those of files are not in here.
CREATE TABLE templates (
  id         uuid PRIMARY KEY,
  name       text NOT NULL UNIQUE,
  definition jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- There is something to begin with.
INSERT INTO templates (id, name, definition)
VALUES ('00000000-0000-7000-8000-000000000003', 'empty',
        '{"driver": "host", "description": "An empty folder, without network",
          "limits": {"memory_mb": 2048, "processes": 512}}');

-- A workspace has a copy of its template: what becomes of that later is no matter. Chats name workspaces; a
-- workspace that was deleted is still known to them.
CREATE TABLE workspaces (
  id            uuid PRIMARY KEY,
  -- Null: the user was deleted, and the workspace with them; its files are still to be removed.
  owner_id      uuid REFERENCES users ON DELETE SET NULL,
  name          text NOT NULL,
  template_id   uuid NOT NULL,
  template_name text NOT NULL,
  definition    jsonb NOT NULL,
  status        text NOT NULL CHECK (status IN ('creating', 'ready', 'stopped', 'failed', 'deleted')),
  error         text,
  -- The machine that has its files, and what people call it.
  host_id       uuid NOT NULL,
  host_name     text NOT NULL,
  -- The end of the output of its set-up.
  log           text NOT NULL DEFAULT '',
  -- By path, the commit of each git repository when the set-up was done.
  baselines     jsonb NOT NULL DEFAULT '{}',
  -- The tool call that asked for it: run again, it finds what it has made.
  made_by_call  text UNIQUE,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now(),
  last_used_at  timestamptz NOT NULL DEFAULT now(),
  -- While it is being made: when its maker last said that it is at work.
  beat_at       timestamptz NOT NULL DEFAULT now(),
  -- Its files are gone.
  removed_at    timestamptz
);
CREATE INDEX workspaces_by_owner ON workspaces (owner_id, id DESC);
CREATE INDEX workspaces_by_host ON workspaces (host_id) WHERE removed_at IS NULL;

-- The instructions and skills that a chat began with: they stay as they were, so that its prompt does.
CREATE TABLE chat_contexts (
  chat_id      uuid PRIMARY KEY REFERENCES chats ON DELETE CASCADE,
  workspace_id uuid NOT NULL,
  context      jsonb NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now()
);
