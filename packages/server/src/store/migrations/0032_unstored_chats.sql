-- Chats of requests that asked not to be stored, until they are deleted.
CREATE INDEX chats_unstored ON chats (id) WHERE labels ->> '.unstored' = 'true' AND deleted_at IS NULL;
