-- Accounting: what usage, spend limits and titles need.

-- What the model was called for.
ALTER TABLE model_calls
  ADD COLUMN kind text NOT NULL DEFAULT 'turn' CHECK (kind IN ('turn', 'summary', 'title'));

-- A limit is checked before every call: the sum over a user's month is in the index alone.
DROP INDEX model_calls_by_user;
CREATE INDEX model_calls_by_user ON model_calls (user_id, created_at) INCLUDE (cost_micros);

-- A range is summarised when the next one begins, and not only when a vacuum comes by.
ALTER INDEX model_calls_by_time SET (autosummarize = on);

-- Takes the place of the limit in the settings; null: that one holds.
ALTER TABLE users ADD COLUMN spend_limit_micros bigint CHECK (spend_limit_micros >= 0);

-- The beginning of the first message is a title until a model finds a better one; what the user chose stays.
-- Steps leave it alone.
ALTER TABLE chats
  ADD COLUMN title_source text NOT NULL DEFAULT 'user'
    CHECK (title_source IN ('first_message', 'model', 'user'));

-- The demo model costs nothing, which is not the same as a price that nobody knows.
UPDATE model_configs
   SET options = options || '{"price": {"input": 0, "output": 0}}'
 WHERE id = '00000000-0000-7000-8000-000000000002' AND NOT options ? 'price';
