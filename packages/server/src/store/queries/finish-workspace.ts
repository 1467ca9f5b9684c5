import { statement } from '../statement.ts';
import type { WorkspaceRow } from '../workspaces.ts';
import { WORKSPACE_COLUMNS } from './workspace-columns.ts';

/** Its set-up has ended, well or not. No row: it was deleted meanwhile. */
export const finishWorkspace = statement<WorkspaceRow>(
  'finish-workspace',
  `UPDATE workspaces
      SET status = $2, error = $3, log = $4, baselines = $5, updated_at = now(), last_used_at = now()
    WHERE id = $1 AND status = 'creating'
   RETURNING ${WORKSPACE_COLUMNS}`,
);
