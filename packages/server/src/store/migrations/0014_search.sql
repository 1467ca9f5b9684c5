-- Search within one owner. A segment holds the words of up to 128 consecutive messages of a chat: a fraction of the disk
-- that the words of each message need, and few rows for a word that is in every message. Its lexemes are
--   'word'   a word, at the numbers of the messages that contain it (their places in message_ids), so `a <0> b` finds
--            messages with both words;
--   '#1'     a message, at its own number;
--   '@uuid'  the owner, so one index scan for `@uuid & word` leads to rows of that owner only.
CREATE TABLE search_segments (
  chat_id     uuid NOT NULL REFERENCES chats ON DELETE CASCADE,
  owner_id    uuid NOT NULL,
  first_id    bigint NOT NULL,
  last_id     bigint NOT NULL,
  message_ids bigint[] NOT NULL,
  -- Messages that follow go into the next segment. Otherwise the segment is written anew with them.
  is_full     boolean NOT NULL,
  words       tsvector NOT NULL,
  PRIMARY KEY (chat_id, last_id)
-- A common word is in every segment of an owner: narrow rows keep that scan short, so the words are stored apart.
) WITH (toast_tuple_target = 128);
CREATE INDEX search_segments_by_word ON search_segments USING gin (words);

-- Chats whose messages from from_id on are not in a segment yet; from_id is 0 for chats that existed before this table.
-- No foreign key: every new message would pay for the check. The indexer removes rows of chats that no longer exist.
CREATE TABLE search_pending (
  chat_id  uuid PRIMARY KEY,
  owner_id uuid NOT NULL,
  from_id  bigint NOT NULL,
  since    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX search_pending_by_owner ON search_pending (owner_id);
CREATE INDEX search_pending_by_age ON search_pending (since, chat_id DESC);

-- A program that writes messages holds the lock of their chat, and so does the indexer.
CREATE FUNCTION search_messages_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_pending (chat_id, owner_id, from_id)
  SELECT chats.id, chats.owner_id, min(added.id)
    FROM added JOIN chats ON chats.id = added.chat_id
   WHERE added.role IN ('user', 'assistant') AND NOT added.hidden
   GROUP BY chats.id
  ON CONFLICT (chat_id) DO NOTHING;
  RETURN NULL;
END
$$;

CREATE FUNCTION search_messages_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH changes AS (
    SELECT chat_id, min(id) AS id FROM changed GROUP BY chat_id
  ), cut AS (
    DELETE FROM search_segments USING changes
     WHERE search_segments.chat_id = changes.chat_id AND search_segments.last_id >= changes.id
    RETURNING search_segments.chat_id, search_segments.first_id
  )
  INSERT INTO search_pending (chat_id, owner_id, from_id)
  SELECT chats.id, chats.owner_id, least(min(changes.id), min(cut.first_id))
    FROM changes JOIN chats ON chats.id = changes.chat_id LEFT JOIN cut ON cut.chat_id = changes.chat_id
   GROUP BY chats.id
  ON CONFLICT (chat_id) DO UPDATE SET from_id = least(search_pending.from_id, excluded.from_id);
  RETURN NULL;
END
$$;

-- Before the triggers, whose creation blocks writers: few chats are left for the second statement.
INSERT INTO search_pending (chat_id, owner_id, from_id) SELECT id, owner_id, 0 FROM chats;

CREATE TRIGGER messages_added AFTER INSERT ON messages
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION search_messages_added();
CREATE TRIGGER messages_edited AFTER UPDATE ON messages
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION search_messages_changed();
CREATE TRIGGER messages_dropped AFTER DELETE ON messages
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION search_messages_changed();

INSERT INTO search_pending (chat_id, owner_id, from_id)
SELECT id, owner_id, 0 FROM chats
ON CONFLICT (chat_id) DO NOTHING;
