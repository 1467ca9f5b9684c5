import { statement } from '../statement.ts';
import type { WorkspaceRow } from '../workspaces.ts';
import { WORKSPACE_COLUMNS } from './workspace-columns.ts';

/** Through workspaces_by_owner, newest first. */
export const listWorkspaces = statement<WorkspaceRow>(
  'list-workspaces',
  `SELECT ${WORKSPACE_COLUMNS}
     FROM workspaces
    WHERE owner_id = $1 AND ($2::uuid IS NULL OR id < $2) AND status <> 'deleted'
    ORDER BY id DESC
    LIMIT $3`,
);
