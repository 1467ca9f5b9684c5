import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';

export const WorkspaceStatus = enumeration('WorkspaceStatus', 'Status of a workspace.', {
  creating: 'the source is being fetched, or the setup script is running',
  ready: 'ready to use',
  stopped: 'nothing is running; files are kept. `startWorkspace` or its agent starts it again',
  failed: 'the setup failed; see `error`. `startWorkspace` runs it again from the beginning',
  deleted: 'deleted, including its files',
});
export type WorkspaceStatus = z.infer<typeof WorkspaceStatus>;

export const Workspace = z
  .object({
    id: Uuid.describe(
      'ID of the workspace, for `workspace_id` of chats. IDs sort by creation time.',
    ),
    name: z.string().describe('Name of the workspace. Default: the name of its template.'),
    template_id: Uuid.describe(
      'Template that the workspace was created from. It may have been changed or deleted since.',
    ),
    template_name: z.string().describe('Name of the template at creation time.'),
    owner_id: Uuid.describe('Owner of the workspace.'),
    status: WorkspaceStatus.describe('Status of the workspace.'),
    error: z
      .string()
      .optional()
      .describe('Why the setup failed. Present only if the status is `failed`.'),
    machine_id: Uuid.describe('Machine that hosts the workspace.'),
    machine_name: z.string().describe('Name of the machine.'),
    created_at: Timestamp.describe('Creation time.'),
    updated_at: Timestamp.describe('Time of the last status change.'),
    last_used_at: Timestamp.describe(
      'Approximate time of the last use. By default, a workspace stops after one hour without use.',
    ),
  })
  .meta({
    id: 'Workspace',
    description: 'A sandboxed folder in which agents run their tools.',
  });
export type Workspace = z.infer<typeof Workspace>;

export const WorkspaceWithLog = Workspace.extend({
  log: z.string().describe('End of the setup output, during and after the setup.'),
}).meta({ id: 'WorkspaceWithLog', description: 'A workspace, with the output of its setup.' });
export type WorkspaceWithLog = z.infer<typeof WorkspaceWithLog>;

const ChangedFile = z
  .object({
    path: z
      .string()
      .meta({ description: 'Path relative to the repository.', examples: ['src/main.ts'] }),
    old_path: z
      .string()
      .optional()
      .describe('Path before the rename. Absent if the file was not renamed.'),
    status: z
      .enum(['added', 'modified', 'deleted', 'renamed', 'type_changed'])
      .describe('Kind of the change. `type_changed`: for example, a file became a symbolic link.'),
    additions: z.int().nullable().describe('Number of added lines. Null for binary files.'),
    deletions: z.int().nullable().describe('Number of deleted lines. Null for binary files.'),
    binary: z.boolean().describe('True if the file is not text.'),
    untracked: z.boolean().describe('True if git does not track the file.'),
  })
  .meta({ id: 'ChangedFile', description: 'A changed file of a repository.' });

const RepositoryDiff = z
  .object({
    path: z.string().meta({ description: 'Path relative to the workspace root.', examples: ['.'] }),
    branch: z.string().nullable().describe('Branch that is checked out. Null: detached HEAD.'),
    base: z
      .string()
      .nullable()
      .describe(
        'Commit to compare with: the one at the creation of the workspace, else the merge base with the origin. Null: an empty tree.',
      ),
    head: z.string().nullable().describe('Commit that is checked out. Null: none yet.'),
    files: z
      .array(ChangedFile)
      .describe('Changed files, including committed changes. At most 1,000.'),
    more_files: z.boolean().describe('True if more files changed than listed.'),
    patch: z.string().describe('Output of `git diff`. At most 512 KiB.'),
    patch_cut: z.boolean().describe('True if the patch is truncated.'),
  })
  .meta({ id: 'RepositoryDiff', description: 'Changes in one repository.' });

export const WorkspaceDiff = z
  .object({
    workspace_id: Uuid.nullable().describe('Workspace of the chat. Null: none.'),
    computed_at: Timestamp.nullable().describe(
      'Time of the comparison, at most 2 seconds ago. Null: no workspace.',
    ),
    repositories: z
      .array(RepositoryDiff)
      .describe('Git repositories in the workspace. At most 20.'),
  })
  .meta({ id: 'WorkspaceDiff', description: 'Changes in a workspace since its creation.' });
export type WorkspaceDiff = z.infer<typeof WorkspaceDiff>;
