-- Subagents that use the desktop of a workspace.
ALTER TABLE chats
  DROP CONSTRAINT chats_agent_type_check,
  ADD CONSTRAINT chats_agent_type_check CHECK (agent_type IN ('general', 'explore', 'computer'));
