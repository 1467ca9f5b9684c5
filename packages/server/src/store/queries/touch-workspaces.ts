import { statement } from '../statement.ts';

export const touchWorkspaces = statement<never>(
  'touch-workspaces',
  `UPDATE workspaces SET last_used_at = now() WHERE id = ANY ($1::uuid[])`,
);
