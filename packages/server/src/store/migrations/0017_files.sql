-- Which chats use which files. Triggers maintain it, so that replicas of the version before maintain it, too. A chat uses
-- the files that its messages or its queue have ever named; that ends when the chat is purged.
CREATE TABLE chat_files (
  chat_id uuid NOT NULL REFERENCES chats ON DELETE CASCADE,
  file_id uuid NOT NULL REFERENCES files ON DELETE CASCADE,
  PRIMARY KEY (file_id, chat_id)
);
CREATE INDEX chat_files_by_chat ON chat_files (chat_id);

ALTER TABLE files
  -- Null: a chat uses the file, or the backfill below has not reached it. '-infinity': the last chat that used it is gone.
  ADD COLUMN unused_since timestamptz,
  -- Null: the bytes are in object storage, under the id of the file.
  ALTER COLUMN bytes DROP NOT NULL;
ALTER TABLE files ALTER COLUMN unused_since SET DEFAULT now();
CREATE INDEX files_unused ON files (unused_since) WHERE unused_since IS NOT NULL;
-- For the quota: an index-only scan.
CREATE INDEX files_size_by_owner ON files (owner_id) INCLUDE (size);

-- Values stay JSON: as text, or as jsonb, one that holds \u0000 would be an error.
CREATE FUNCTION files_named_in(content json) RETURNS SETOF uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT DISTINCT CASE
           WHEN name::text ~* '^"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"$' THEN btrim(name::text, '"')::uuid
         END
    FROM json_array_elements(CASE json_typeof(content) WHEN 'array' THEN content END) AS parts (part)
   CROSS JOIN LATERAL (
     SELECT part -> 'file_id'
      WHERE json_typeof(part) = 'object'
     UNION ALL
     SELECT json_array_elements(CASE json_typeof(part -> 'file_ids') WHEN 'array' THEN part -> 'file_ids' END)
      WHERE json_typeof(part) = 'object') AS names (name)
   WHERE name IS NOT NULL
$$;

-- Locks the files in the order of their ids: two messages that name the same files do not deadlock.
CREATE FUNCTION use_files() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  used uuid[];
BEGIN
  SELECT array_agg(locked.id) INTO used
    FROM (SELECT id FROM files WHERE id IN (SELECT files_named_in(NEW.content::json)) ORDER BY id FOR NO KEY UPDATE) AS locked;
  INSERT INTO chat_files (chat_id, file_id) SELECT NEW.chat_id, unnest(used) ON CONFLICT DO NOTHING;
  UPDATE files SET unused_since = NULL WHERE id = ANY (used) AND unused_since IS NOT NULL;
  RETURN NULL;
END
$$;
CREATE TRIGGER messages_use_files AFTER INSERT OR UPDATE OF content ON messages FOR EACH ROW
  WHEN (NEW.content::text LIKE '%"file_id%') EXECUTE FUNCTION use_files();
CREATE TRIGGER queued_messages_use_files AFTER INSERT OR UPDATE OF content ON queued_messages FOR EACH ROW
  WHEN (NEW.content::text LIKE '%"file_id%') EXECUTE FUNCTION use_files();

CREATE FUNCTION release_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE files SET unused_since = '-infinity'
   WHERE id IN (SELECT file_id FROM gone)
     AND NOT EXISTS (SELECT FROM chat_files WHERE chat_files.file_id = files.id);
  RETURN NULL;
END
$$;
CREATE TRIGGER chat_files_release AFTER DELETE ON chat_files REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION release_files();

-- Objects in object storage without a file: those of deleted files, and of uploads that have not finished.
CREATE TABLE unwanted_objects (
  key          text PRIMARY KEY,
  delete_after timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION discard_object() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unwanted_objects (key) VALUES (OLD.id::text) ON CONFLICT (key) DO UPDATE SET delete_after = now();
  RETURN NULL;
END
$$;
CREATE TRIGGER files_discard_object AFTER DELETE ON files FOR EACH ROW
  WHEN (OLD.bytes IS NULL) EXECUTE FUNCTION discard_object();

-- Housekeeping reads the messages that are older than this migration, a few chats at a time, in the order of the ids of
-- the chats. No file is purged while this table has its row.
CREATE TABLE chat_files_backfill (
  last_chat_id uuid NOT NULL
);
INSERT INTO chat_files_backfill SELECT '00000000-0000-0000-0000-000000000000' WHERE EXISTS (SELECT FROM files);
