import { statement } from '../statement.ts';
import type { WorkspaceRow } from '../workspaces.ts';
import { WORKSPACE_COLUMNS } from './workspace-columns.ts';

export const findOwnWorkspace = statement<WorkspaceRow>(
  'find-own-workspace',
  `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = $1 AND owner_id = $2 AND status <> 'deleted'`,
);
