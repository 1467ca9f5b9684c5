import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';

/** `creating` while its source is fetched and its set-up runs; `stopped` keeps its files. */
export const WorkspaceStatus = z.enum(['creating', 'ready', 'stopped', 'failed', 'deleted']);
export type WorkspaceStatus = z.infer<typeof WorkspaceStatus>;

export const Workspace = z
  .object({
    id: Uuid,
    name: z.string(),
    template_id: Uuid,
    template_name: z.string(),
    owner_id: Uuid,
    status: WorkspaceStatus,
    error: z.string().optional(),
    /** The machine that has its files. */
    host: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
    last_used_at: Timestamp,
  })
  .meta({ id: 'Workspace' });
export type Workspace = z.infer<typeof Workspace>;

export const WorkspaceWithLog = Workspace.extend({
  /** The end of what its set-up has written. */
  log: z.string(),
}).meta({ id: 'WorkspaceWithLog' });
export type WorkspaceWithLog = z.infer<typeof WorkspaceWithLog>;

const ChangedFile = z.object({
  path: z.string(),
  /** Before it was renamed. */
  old_path: z.string().optional(),
  status: z.enum(['added', 'modified', 'deleted', 'renamed', 'type_changed']),
  /** null of a binary file. */
  additions: z.int().nullable(),
  deletions: z.int().nullable(),
  binary: z.boolean(),
  /** Not yet known to git. */
  untracked: z.boolean(),
});

/** What changed in a workspace since it was created. */
export const WorkspaceDiff = z
  .object({
    workspace_id: Uuid.nullable(),
    computed_at: Timestamp.nullable(),
    repositories: z.array(
      z.object({
        /** Relative to the root of the workspace. */
        path: z.string(),
        branch: z.string().nullable(),
        /** What it is compared with; null: with nothing at all. */
        base: z.string().nullable(),
        head: z.string().nullable(),
        files: z.array(ChangedFile),
        /** More files changed than are listed. */
        more_files: z.boolean(),
        /** As `git diff` shows it; cut when it is too long. */
        patch: z.string(),
        patch_cut: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'WorkspaceDiff' });
export type WorkspaceDiff = z.infer<typeof WorkspaceDiff>;
