import { statement } from '../statement.ts';
import type { WorkspaceRow } from '../workspaces.ts';
import { WORKSPACE_COLUMNS } from './workspace-columns.ts';

/** To the status $2 from one of $3, with the error $4. No row: it is in none of them. */
export const moveWorkspace = statement<WorkspaceRow>(
  'move-workspace',
  `UPDATE workspaces
      SET status = $2, error = $4, updated_at = now(), last_used_at = now(), beat_at = now()
    WHERE id = $1 AND status = ANY ($3::text[])
   RETURNING ${WORKSPACE_COLUMNS}`,
);
