-- Accounts of users at hosts of git repositories. The token is encrypted.
CREATE TABLE git_connections (
  id           uuid PRIMARY KEY,
  owner_id     uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  kind         text NOT NULL CHECK (kind IN ('github', 'gitlab', 'other')),
  host         text NOT NULL,
  username     text NOT NULL,
  account      text,
  author_name  text NOT NULL,
  author_email text NOT NULL,
  repositories text[],
  secrets      text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  UNIQUE (owner_id, host)
);

-- Pushes that a user made or approved: the only ones that the git proxy lets through, until they expire.
CREATE TABLE git_pushes (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  host         text NOT NULL,
  repository   text NOT NULL,
  ref          text NOT NULL,
  commit       text NOT NULL,
  expires_at   timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, host, repository, ref)
);
