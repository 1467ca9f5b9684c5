import { statement } from '../statement.ts';
import type { WorkspaceRow } from '../workspaces.ts';
import { WORKSPACE_COLUMNS } from './workspace-columns.ts';

/** No row: the same call has made one before. */
export const insertWorkspace = statement<WorkspaceRow>(
  'insert-workspace',
  `INSERT INTO workspaces (id, owner_id, name, template_id, template_name, definition, status, host_id, host_name,
                           made_by_call)
   VALUES ($1, $2, $3, $4, $5, $6, 'creating', $7, $8, $9)
   ON CONFLICT (made_by_call) DO NOTHING
   RETURNING ${WORKSPACE_COLUMNS}`,
);
