-- How often in a row the owner of a chat died while it ran the chat. `deaths_version` is the history version of the last
-- death: a step that was committed since then ends the row, so no other write has to reset the count.
ALTER TABLE chats ADD COLUMN owner_deaths int NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN deaths_version bigint NOT NULL DEFAULT 0;

-- The worker that holds open sessions of the chat with MCP servers. Other workers leave the chat to it while it lives.
ALTER TABLE chats ADD COLUMN pinned_worker_id uuid;

-- Where the program of an MCP server runs, and what it may use.
ALTER TABLE mcp_servers ADD COLUMN cwd text;
ALTER TABLE mcp_servers ADD COLUMN limits jsonb NOT NULL DEFAULT '{}';
