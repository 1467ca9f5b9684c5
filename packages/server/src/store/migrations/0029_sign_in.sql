-- Accounts of users at the OIDC provider. The subject identifies an account, never its e-mail address.
CREATE TABLE user_identities (
  issuer          text NOT NULL,
  subject         text NOT NULL,
  user_id         uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  email           text,
  -- The names in the claim of the last sign-in.
  groups          jsonb NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  last_sign_in_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX user_identities_by_user ON user_identities (user_id);

-- The provider that signed in the user. Null: a password or a link. Signing out then ends the session there, too.
ALTER TABLE sessions ADD COLUMN issuer text;

-- Finished sign-ins with OIDC: none finishes twice. Kept longer than a sign-in may take.
CREATE TABLE finished_sign_ins (
  state_hash bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX finished_sign_ins_by_expiry ON finished_sign_ins (expires_at);

-- Sign-ins of the chatd command through a browser. The command exchanges its secret for a token.
CREATE TABLE cli_logins (
  secret_hash bytea PRIMARY KEY,
  -- The hash of a second secret, which the command did not send to the browser. Null: the command has a user code.
  challenge   bytea,
  -- What the user enters in the browser. Null: the browser sends the secret to the command.
  user_code   text UNIQUE,
  -- The name of the token.
  name        text NOT NULL,
  -- Null: no user has approved it.
  user_id     uuid REFERENCES users ON DELETE CASCADE,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX cli_logins_by_expiry ON cli_logins (expires_at);
CREATE INDEX cli_logins_by_user ON cli_logins (user_id) WHERE user_id IS NOT NULL;
