import type { WorkspaceStatus } from '@chatd/protocol';
import { statement } from '../statement.ts';
import type { WorkspaceRow } from '../workspaces.ts';

/** A maker beats every 2 s: after five beats without one there is none. */
export const WORKSPACE_COLUMNS = `id, owner_id, name, template_id, template_name, definition, status, error,
  host_id, host_name, log, baselines, created_at, updated_at, last_used_at,
  (status = 'creating' AND beat_at < now() - interval '10 s') AS forsaken`;

/** Deleted ones too. */
export const findWorkspace = statement<WorkspaceRow>(
  'find-workspace',
  `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = $1`,
);

export const findOwnWorkspace = statement<WorkspaceRow>(
  'find-own-workspace',
  `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = $1 AND owner_id = $2 AND status <> 'deleted'`,
);

export const findWorkspaceByCall = statement<WorkspaceRow>(
  'find-workspace-by-call',
  `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE made_by_call = $1`,
);

/** Through workspaces_by_owner, newest first. */
export const listWorkspaces = statement<WorkspaceRow>(
  'list-workspaces',
  `SELECT ${WORKSPACE_COLUMNS}
     FROM workspaces
    WHERE owner_id = $1 AND ($2::uuid IS NULL OR id < $2) AND status <> 'deleted'
    ORDER BY id DESC
    LIMIT $3`,
);

export const statusesOfWorkspaces = statement<{ id: string; status: WorkspaceStatus }>(
  'statuses-of-workspaces',
  `SELECT id, status FROM workspaces WHERE id = ANY ($1::uuid[])`,
);

export const countWorkspaces = statement<{ count: number }>(
  'count-workspaces',
  `SELECT count(*) AS count FROM workspaces WHERE owner_id = $1 AND status <> 'deleted'`,
);

/** No row: the same call has made one before. */
export const insertWorkspace = statement<WorkspaceRow>(
  'insert-workspace',
  `INSERT INTO workspaces (id, owner_id, name, template_id, template_name, definition, status, host_id, host_name,
                           made_by_call)
   VALUES ($1, $2, $3, $4, $5, $6, 'creating', $7, $8, $9)
   ON CONFLICT (made_by_call) DO NOTHING
   RETURNING ${WORKSPACE_COLUMNS}`,
);

/** For one who begins its set-up again: only one does. */
export const claimWorkspace = statement<WorkspaceRow>(
  'claim-workspace',
  `UPDATE workspaces
      SET status = 'creating', error = NULL, log = '', updated_at = now(), beat_at = now()
    WHERE id = $1
      AND (status = 'failed' OR (status = 'creating' AND beat_at < now() - interval '10 s'))
   RETURNING ${WORKSPACE_COLUMNS}`,
);

/** Its maker is at work, and this is what it has to show. */
export const beatWorkspace = statement<never>(
  'beat-workspace',
  `UPDATE workspaces SET beat_at = now(), log = $2 WHERE id = $1`,
);

/** Its set-up has ended, well or not. No row: it was deleted meanwhile. */
export const finishWorkspace = statement<WorkspaceRow>(
  'finish-workspace',
  `UPDATE workspaces
      SET status = $2, error = $3, log = $4, baselines = $5, updated_at = now(), last_used_at = now()
    WHERE id = $1 AND status = 'creating'
   RETURNING ${WORKSPACE_COLUMNS}`,
);

/** To the status $2 from one of $3, with the error $4. No row: it is in none of them. */
export const moveWorkspace = statement<WorkspaceRow>(
  'move-workspace',
  `UPDATE workspaces
      SET status = $2, error = $4, updated_at = now(), last_used_at = now(), beat_at = now()
    WHERE id = $1 AND status = ANY ($3::text[])
   RETURNING ${WORKSPACE_COLUMNS}`,
);

export const touchWorkspaces = statement<never>(
  'touch-workspaces',
  `UPDATE workspaces SET last_used_at = now() WHERE id = ANY ($1::uuid[])`,
);

/** By the clock of the database, which all processes share. */
export const stopIdleWorkspaces = statement<{ id: string }>(
  'stop-idle-workspaces',
  `UPDATE workspaces
      SET status = 'stopped', updated_at = now()
    WHERE host_id = $1 AND removed_at IS NULL AND status = 'ready'
      AND last_used_at < now() - $2 * interval '1 ms'
   RETURNING id`,
);

/** Of this machine, whose files are still there. */
export const deletedWorkspaces = statement<WorkspaceRow>(
  'deleted-workspaces',
  `SELECT ${WORKSPACE_COLUMNS} FROM workspaces
    WHERE host_id = $1 AND removed_at IS NULL AND (status = 'deleted' OR owner_id IS NULL)
    LIMIT 20`,
);

export const workspaceRemoved = statement<never>(
  'workspace-removed',
  `UPDATE workspaces SET status = 'deleted', removed_at = now(), log = '' WHERE id = $1`,
);
