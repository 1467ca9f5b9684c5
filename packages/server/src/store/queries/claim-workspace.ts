import { statement } from '../statement.ts';
import type { WorkspaceRow } from '../workspaces.ts';
import { WORKSPACE_COLUMNS } from './workspace-columns.ts';

/** For one who begins its set-up again: only one does. */
export const claimWorkspace = statement<WorkspaceRow>(
  'claim-workspace',
  `UPDATE workspaces
      SET status = 'creating', error = NULL, log = '', updated_at = now(), beat_at = now()
    WHERE id = $1
      AND (status = 'failed' OR (status = 'creating' AND beat_at < now() - interval '10 s'))
   RETURNING ${WORKSPACE_COLUMNS}`,
);
