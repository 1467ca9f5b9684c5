-- Recorded states of the files of workspaces, by the root chat whose turn or restore recorded them. The content is on the
-- machine. Rows without a chat are deleted after their content.
CREATE TABLE checkpoints (
  id              uuid PRIMARY KEY,
  chat_id         uuid REFERENCES chats ON DELETE SET NULL,
  workspace_id    uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  kind            text NOT NULL CHECK (kind IN ('before_turn', 'step', 'before_restore', 'restore')),
  -- The user message of the turn, and the last message of the history.
  turn_message_id bigint,
  message_id      bigint,
  -- The changes of a checkpoint are those from base_tree to tree.
  base_tree       text,
  tree            text NOT NULL,
  files           integer NOT NULL,
  additions       integer NOT NULL,
  deletions       integer NOT NULL,
  too_large       text[] NOT NULL DEFAULT '{}',
  -- A turn whose last checkpoint is missing, or a restore that may be incomplete.
  is_open         boolean NOT NULL DEFAULT false,
  created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX checkpoints_by_chat ON checkpoints (chat_id, id);
CREATE INDEX checkpoints_by_workspace ON checkpoints (workspace_id, id);
CREATE UNIQUE INDEX checkpoints_open_turn ON checkpoints (chat_id) WHERE is_open AND kind = 'before_turn';
CREATE UNIQUE INDEX checkpoints_open_restore ON checkpoints (workspace_id) WHERE is_open AND kind = 'restore';
CREATE INDEX checkpoints_removed ON checkpoints (workspace_id) WHERE chat_id IS NULL;
