-- A step writes as little as it can.

-- Messages go with their chat by this trigger instead of a foreign key: every insert would lock the row of the chat that
-- the same statement has just updated, and log that. Nothing inserts a message without its chat at hand.
ALTER TABLE messages DROP CONSTRAINT messages_chat_id_fkey;

CREATE FUNCTION delete_messages_of_chats() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM messages WHERE chat_id IN (SELECT id FROM gone);
  RETURN NULL;
END $$;
CREATE TRIGGER messages_go_with_their_chat
  AFTER DELETE ON chats REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION delete_messages_of_chats();

CREATE FUNCTION truncate_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE messages;
  RETURN NULL;
END $$;
CREATE TRIGGER messages_go_with_all_chats
  AFTER TRUNCATE ON chats FOR EACH STATEMENT EXECUTE FUNCTION truncate_messages();

-- Nothing looks inside these: as text they are a third smaller, and need no conversion on their way in.
ALTER TABLE messages
  ALTER COLUMN content TYPE json USING content::json,
  ALTER COLUMN meta TYPE json USING meta::json,
  -- Counts in the order of message-usage.ts.
  ALTER COLUMN usage TYPE integer[] USING
    CASE WHEN usage IS NOT NULL THEN ARRAY[
      (usage ->> 'input_tokens')::integer,
      (usage ->> 'output_tokens')::integer,
      (usage ->> 'reasoning_tokens')::integer,
      (usage ->> 'cache_read_tokens')::integer,
      (usage ->> 'cache_creation_tokens')::integer,
      (usage ->> 'total_tokens')::integer,
      (usage ->> 'context_limit')::integer] END;
