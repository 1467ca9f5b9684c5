import { statement } from '../statement.ts';

export const countWorkspaces = statement<{ count: number }>(
  'count-workspaces',
  `SELECT count(*) AS count FROM workspaces WHERE owner_id = $1 AND status <> 'deleted'`,
);
