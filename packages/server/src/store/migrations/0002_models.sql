-- What a provider is, beyond its name: its address and its keys; and what a model config names besides itself.

ALTER TABLE providers
  ADD COLUMN base_url        text,
  -- What its type can be told besides.
  ADD COLUMN options         jsonb NOT NULL DEFAULT '{}',
  -- Keys, encrypted for this row.
  ADD COLUMN secrets         text,
  -- Its keys are those of the server's environment, unless it has its own.
  ADD COLUMN from_environment boolean NOT NULL DEFAULT false,
  ADD COLUMN allow_user_keys boolean NOT NULL DEFAULT false;

-- Keys that users brought themselves, encrypted for the pair.
CREATE TABLE user_keys (
  provider_id uuid NOT NULL REFERENCES providers ON DELETE CASCADE,
  user_id     uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  secrets     text NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider_id, user_id)
);
CREATE INDEX user_keys_by_user ON user_keys (user_id);

ALTER TABLE model_configs
  ADD COLUMN title_model_config_id   uuid REFERENCES model_configs ON DELETE SET NULL,
  ADD COLUMN summary_model_config_id uuid REFERENCES model_configs ON DELETE SET NULL;
CREATE INDEX model_configs_by_provider ON model_configs (provider_id);

-- Types whose provider was made from the environment once: an admin who deletes one does not get it back.
CREATE TABLE environment_providers (
  type    text PRIMARY KEY,
  made_at timestamptz NOT NULL DEFAULT now()
);
