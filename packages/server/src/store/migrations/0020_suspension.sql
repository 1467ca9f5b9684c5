-- When an admin suspended the user. Null: the user is active.
ALTER TABLE users ADD COLUMN suspended_at timestamptz;
