-- Failed sign-ins, counted for all replicas. The program hashes user names and addresses into a fixed number of buckets, so
-- that the table is bounded and no row has to be evicted to make room for another.
CREATE TABLE sign_in_attempts (
  scope       text NOT NULL,
  bucket      integer NOT NULL,
  attempts    integer NOT NULL,
  -- After that the row counts for nothing.
  window_ends timestamptz NOT NULL,
  PRIMARY KEY (scope, bucket)
);
CREATE INDEX sign_in_attempts_window_ends ON sign_in_attempts (window_ends);

-- The chats of one user that should run, oldest activity first: workers count them, and take turns between users.
CREATE INDEX chats_runnable_by_owner ON chats (owner_id, active_at) WHERE status IN ('running', 'interrupting');

-- The default of max_running_chats_per_user changes from no limit to 64. A deployment that is already in use keeps running
-- as many chats as before.
UPDATE settings SET value = '{"max_running_chats_per_user": null}'::jsonb || value WHERE EXISTS (SELECT FROM users);
