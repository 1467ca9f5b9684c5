import type { WorkspaceStatus } from '@chatd/protocol';
import { statement } from '../statement.ts';

export const statusesOfWorkspaces = statement<{ id: string; status: WorkspaceStatus }>(
  'statuses-of-workspaces',
  `SELECT id, status FROM workspaces WHERE id = ANY ($1::uuid[])`,
);
