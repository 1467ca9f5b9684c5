import type { JsonText } from '../json.ts';
import { statement } from '../statement.ts';
import type { WorkspaceRow } from '../workspaces.ts';

/** A setup renews `beat_at` every 2 s. After 10 s without, its process is gone. */
export const WORKSPACE_COLUMNS = `id, owner_id, name, template_id, template_name, definition, files_from, status, error,
  host_id, coalesce((SELECT machines.name FROM machines WHERE machines.id = host_id), host_name) AS host_name, log, baselines, created_at, updated_at, last_used_at,
  (status = 'creating' AND beat_at < now() - interval '10 s') AS forsaken`;

/** Includes deleted workspaces. */
export const findWorkspace = statement<{ id: string }, WorkspaceRow>(
  'find-workspace',
  `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = :id`,
);

export const findOwnWorkspace = statement<{ id: string; owner_id: string }, WorkspaceRow>(
  'find-own-workspace',
  `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = :id AND owner_id = :owner_id AND status <> 'deleted'`,
);

export const findWorkspaceByCall = statement<{ made_by_call: string | null }, WorkspaceRow>(
  'find-workspace-by-call',
  `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE made_by_call = :made_by_call`,
);

/** Through workspaces_by_owner, newest first. */
export const listWorkspaces = statement<
  { owner_id: string; before_id: string | null; limit: number },
  WorkspaceRow
>(
  'list-workspaces',
  `SELECT ${WORKSPACE_COLUMNS}
     FROM workspaces
    WHERE owner_id = :owner_id AND (:before_id::uuid IS NULL OR id < :before_id) AND status <> 'deleted'
    ORDER BY id DESC
    LIMIT :limit`,
);

export const workspacesById = statement<{ ids: readonly string[] }, WorkspaceRow>(
  'workspaces-by-id',
  `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = ANY (:ids::uuid[])`,
);

export const countWorkspaces = statement<{ user_id: string }, { count: number }>(
  'count-workspaces',
  `SELECT count(*) AS count FROM workspaces WHERE owner_id = :user_id AND status <> 'deleted'`,
);

/** No row: the call has already created a workspace. */
export const insertWorkspace = statement<
  {
    id: string;
    owner_id: string;
    name: string;
    template_id: string;
    template_name: string;
    definition: JsonText;
    host_id: string;
    host_name: string;
    made_by_call: string | null;
  },
  WorkspaceRow
>(
  'insert-workspace',
  `INSERT INTO workspaces (id, owner_id, name, template_id, template_name, definition, status, host_id, host_name,
                           made_by_call)
   VALUES (:id, :owner_id, :name, :template_id, :template_name, :definition, 'creating', :host_id, :host_name, :made_by_call)
   ON CONFLICT (made_by_call) DO NOTHING
   RETURNING ${WORKSPACE_COLUMNS}`,
);

/** In the transaction that inserts the workspace. */
export const beginWithFiles = statement<{ id: string; files_from: JsonText }, WorkspaceRow>(
  'begin-with-files',
  `UPDATE workspaces SET files_from = :files_from WHERE id = :id RETURNING ${WORKSPACE_COLUMNS}`,
);

/**
 * Claims a failed or abandoned setup. Only one caller gets the row. `updated_at` identifies the attempt: an abandoned one
 * continues on the machine.
 */
export const claimWorkspace = statement<{ id: string }, WorkspaceRow>(
  'claim-workspace',
  `UPDATE workspaces
      SET status = 'creating', error = NULL, log = '', beat_at = now(),
          updated_at = CASE WHEN status = 'failed' THEN now() ELSE updated_at END
    WHERE id = :id
      AND (status = 'failed' OR (status = 'creating' AND beat_at < now() - interval '10 s'))
   RETURNING ${WORKSPACE_COLUMNS}`,
);

/** Records that the setup is running, and its log. */
export const beatWorkspace = statement<{ id: string; log: string }, never>(
  'beat-workspace',
  `UPDATE workspaces SET beat_at = now(), log = :log WHERE id = :id`,
);

/** Ends the setup. No row: the workspace was deleted meanwhile, or its setup was started again. */
export const finishWorkspace = statement<
  {
    id: string;
    attempt: Date;
    status: string;
    error: string | null;
    log: string;
    baselines: JsonText;
  },
  WorkspaceRow
>(
  'finish-workspace',
  `UPDATE workspaces
      SET status = :status, error = :error, log = :log, baselines = :baselines, updated_at = now(), last_used_at = now()
    WHERE id = :id AND status = 'creating'
      AND updated_at BETWEEN :attempt::timestamptz - interval '1 ms' AND :attempt::timestamptz + interval '1 ms'
   RETURNING ${WORKSPACE_COLUMNS}`,
);

/** Moves to :status from one of :sources. No row: the workspace is in none of them. */
export const moveWorkspace = statement<
  {
    id: string;
    status: string;
    sources: readonly string[];
    error: string | null;
  },
  WorkspaceRow
>(
  'move-workspace',
  `UPDATE workspaces
      SET status = :status, error = :error, updated_at = now(), last_used_at = now(), beat_at = now()
    WHERE id = :id AND status = ANY (:sources::text[])
   RETURNING ${WORKSPACE_COLUMNS}`,
);

export const touchWorkspaces = statement<{ ids: readonly string[] }, never>(
  'touch-workspaces',
  `UPDATE workspaces SET last_used_at = now() WHERE id = ANY (:ids::uuid[])`,
);

export const stopIdleWorkspaces = statement<{ host_id: string; idle_ms: number }, WorkspaceRow>(
  'stop-idle-workspaces',
  `UPDATE workspaces
      SET status = 'stopped', updated_at = now()
    WHERE host_id = :host_id AND removed_at IS NULL AND status = 'ready'
      AND last_used_at < now() - :idle_ms * interval '1 ms'
   RETURNING ${WORKSPACE_COLUMNS}`,
);

/** Deleted workspaces of this machine whose files still exist. */
export const deletedWorkspaces = statement<{ host_id: string }, WorkspaceRow>(
  'deleted-workspaces',
  `SELECT ${WORKSPACE_COLUMNS} FROM workspaces
    WHERE host_id = :host_id AND removed_at IS NULL AND (status = 'deleted' OR owner_id IS NULL)
    LIMIT 20`,
);

export const workspaceRemoved = statement<{ id: string }, never>(
  'workspace-removed',
  `UPDATE workspaces SET status = 'deleted', removed_at = now(), log = '' WHERE id = :id`,
);
