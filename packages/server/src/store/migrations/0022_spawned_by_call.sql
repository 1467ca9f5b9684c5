-- Most chats are not spawned by a call: they need no entry in the index. The constraint held one for each of them.
-- contract: 0008
CREATE UNIQUE INDEX chats_by_spawning_call ON chats (spawned_by_call) WHERE spawned_by_call IS NOT NULL;
ALTER TABLE chats DROP CONSTRAINT chats_spawned_by_call_key;
