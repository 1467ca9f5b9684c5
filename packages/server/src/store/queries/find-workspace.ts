import { statement } from '../statement.ts';
import type { WorkspaceRow } from '../workspaces.ts';
import { WORKSPACE_COLUMNS } from './workspace-columns.ts';

/** Deleted ones too. */
export const findWorkspace = statement<WorkspaceRow>(
  'find-workspace',
  `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = $1`,
);
