import type { TemplateDefinition, WorkspaceStatus } from '@chatd/protocol';

/** A checkpoint of another workspace on the same machine. */
export interface FilesFrom {
  readonly workspace_id: string;
  readonly tree: string;
}

export interface WorkspaceRow {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly template_id: string;
  readonly template_name: string;
  readonly definition: TemplateDefinition;
  /** The setup ends with these files. */
  readonly files_from: FilesFrom | null;
  readonly status: WorkspaceStatus;
  readonly error: string | null;
  readonly host_id: string;
  readonly host_name: string;
  readonly log: string;
  readonly baselines: Readonly<Record<string, string>>;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly last_used_at: Date;
  /** The process that set it up is gone. */
  readonly forsaken: boolean;
}

/** The legal moves. A setup that failed, or whose process is gone, can be restarted. */
const WORKSPACE_MOVES = {
  creating: ['creating', 'ready', 'failed', 'deleted'],
  ready: ['stopped', 'deleted'],
  stopped: ['ready', 'deleted'],
  failed: ['creating', 'deleted'],
  deleted: [],
} as const satisfies Record<WorkspaceStatus, readonly WorkspaceStatus[]>;

/** The statuses that a status can be reached from. */
export const sourcesOf = (status: WorkspaceStatus): WorkspaceStatus[] =>
  (Object.keys(WORKSPACE_MOVES) as WorkspaceStatus[]).filter((from) =>
    (WORKSPACE_MOVES[from] as readonly WorkspaceStatus[]).includes(status),
  );
