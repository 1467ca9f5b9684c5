import { statement } from '../statement.ts';
import type { WorkspaceRow } from '../workspaces.ts';
import { WORKSPACE_COLUMNS } from './workspace-columns.ts';

/** Of this machine, whose files are still there. */
export const deletedWorkspaces = statement<WorkspaceRow>(
  'deleted-workspaces',
  `SELECT ${WORKSPACE_COLUMNS} FROM workspaces
    WHERE host_id = $1 AND removed_at IS NULL AND (status = 'deleted' OR owner_id IS NULL)
    LIMIT 20`,
);
