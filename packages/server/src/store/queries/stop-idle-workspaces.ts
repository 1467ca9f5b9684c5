import { statement } from '../statement.ts';

/** By the clock of the database, which all processes share. */
export const stopIdleWorkspaces = statement<{ id: string }>(
  'stop-idle-workspaces',
  `UPDATE workspaces
      SET status = 'stopped', updated_at = now()
    WHERE host_id = $1 AND removed_at IS NULL AND status = 'ready'
      AND last_used_at < now() - $2 * interval '1 ms'
   RETURNING id`,
);
