-- The checkpoint whose files a new workspace begins with: {"workspace_id": …, "tree": …}. Its setup ends with them.
ALTER TABLE workspaces ADD COLUMN files_from jsonb;
