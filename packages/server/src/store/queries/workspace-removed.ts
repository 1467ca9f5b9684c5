import { statement } from '../statement.ts';

export const workspaceRemoved = statement<never>(
  'workspace-removed',
  `UPDATE workspaces SET removed_at = now(), log = '' WHERE id = $1`,
);
