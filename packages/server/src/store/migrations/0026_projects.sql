-- Folders of chats with their own instructions and model. A subagent belongs to the project of its root chat.
CREATE TABLE projects (
  id              uuid PRIMARY KEY,
  owner_id        uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name            text NOT NULL,
  instructions    text NOT NULL DEFAULT '',
  -- The model of new chats. Null: the default model.
  model_config_id uuid REFERENCES model_configs ON DELETE SET NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  UNIQUE (owner_id, name)
);
CREATE INDEX projects_by_model ON projects (model_config_id) WHERE model_config_id IS NOT NULL;

ALTER TABLE chats ADD COLUMN project_id uuid REFERENCES projects ON DELETE SET NULL;
-- Chats without a project have no entry.
CREATE INDEX chats_by_project ON chats (project_id, active_at DESC, id DESC)
 WHERE project_id IS NOT NULL;
