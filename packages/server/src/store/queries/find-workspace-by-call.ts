import { statement } from '../statement.ts';
import type { WorkspaceRow } from '../workspaces.ts';
import { WORKSPACE_COLUMNS } from './workspace-columns.ts';

export const findWorkspaceByCall = statement<WorkspaceRow>(
  'find-workspace-by-call',
  `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE made_by_call = $1`,
);
