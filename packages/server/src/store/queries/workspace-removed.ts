import { statement } from '../statement.ts';

export const workspaceRemoved = statement<never>(
  'workspace-removed',
  `UPDATE workspaces SET status = 'deleted', removed_at = now(), log = '' WHERE id = $1`,
);
