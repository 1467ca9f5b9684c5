import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';

export const WorkspaceStatus = enumeration(
  'WorkspaceStatus',
  'What can be done with a workspace.',
  {
    creating: 'its source is fetched and its set-up runs',
    ready: 'it can be used',
    stopped:
      'nothing runs in it, its files are kept. `startWorkspace` or its agent starts it again',
    failed:
      'its set-up failed, `error` says why. `startWorkspace` does it again, from the beginning',
    deleted: 'gone with its files',
  },
);
export type WorkspaceStatus = z.infer<typeof WorkspaceStatus>;

export const Workspace = z
  .object({
    id: Uuid.describe(
      'What chats name as `workspace_id`. Ids sort by the time at which workspaces were made.',
    ),
    name: z.string().describe('What it is called, for people: as given, else as its template.'),
    template_id: Uuid.describe(
      'The template that it was made from. That may be another by now, or gone.',
    ),
    template_name: z.string().describe('What that template was called then.'),
    owner_id: Uuid.describe('The user whose workspace it is.'),
    status: WorkspaceStatus.describe('What can be done with it now.'),
    error: z
      .string()
      .optional()
      .describe('Why its set-up failed. Absent unless the status is `failed`.'),
    host: z
      .string()
      .describe(
        'The machine that has its files. Servers on others refuse with `workspace_elsewhere`.',
      ),
    created_at: Timestamp.describe('When it was made.'),
    updated_at: Timestamp.describe('When its status last changed.'),
    last_used_at: Timestamp.describe(
      'When it was last used, roughly. After an hour without use it is stopped, unless the server is configured otherwise.',
    ),
  })
  .meta({
    id: 'Workspace',
    description: 'A folder in a sandbox, in which the tools of agents work.',
  });
export type Workspace = z.infer<typeof Workspace>;

export const WorkspaceWithLog = Workspace.extend({
  log: z.string().describe('The end of what its set-up has written, while it runs and after.'),
}).meta({ id: 'WorkspaceWithLog', description: 'A workspace, with the output of its set-up.' });
export type WorkspaceWithLog = z.infer<typeof WorkspaceWithLog>;

const ChangedFile = z
  .object({
    path: z
      .string()
      .meta({ description: 'Relative to the repository.', examples: ['src/main.ts'] }),
    old_path: z.string().optional().describe('Before it was renamed. Absent if it was not.'),
    status: z
      .enum(['added', 'modified', 'deleted', 'renamed', 'type_changed'])
      .describe('`type_changed`: a file became a link, or the other way round.'),
    additions: z.int().nullable().describe('Lines that were added. Null: of a binary file.'),
    deletions: z.int().nullable().describe('Lines that were taken away. Null: of a binary file.'),
    binary: z.boolean().describe('It is not text.'),
    untracked: z.boolean().describe('It is not known to git yet.'),
  })
  .meta({ id: 'ChangedFile', description: 'A file of a repository that changed.' });

const RepositoryDiff = z
  .object({
    path: z
      .string()
      .meta({ description: 'Relative to the root of the workspace.', examples: ['.'] }),
    branch: z.string().nullable().describe('What is checked out. Null: a commit without a branch.'),
    base: z
      .string()
      .nullable()
      .describe(
        'The commit that it is compared with: the one it had when the workspace was made, else where it parted from its origin. Null: with nothing at all.',
      ),
    head: z
      .string()
      .nullable()
      .describe('The commit that is checked out. Null: there is none yet.'),
    files: z.array(ChangedFile).describe('What changed, commits included, at most 1,000 files.'),
    more_files: z.boolean().describe('More files changed than are listed.'),
    patch: z.string().describe('As `git diff` shows it, at most 512 KiB.'),
    patch_cut: z.boolean().describe('The patch is longer than what is shown.'),
  })
  .meta({ id: 'RepositoryDiff', description: 'What changed in one repository.' });

/** What changed in a workspace since it was created. */
export const WorkspaceDiff = z
  .object({
    workspace_id: Uuid.nullable().describe('The workspace of the chat. Null: it has none.'),
    computed_at: Timestamp.nullable().describe(
      'As of when, at most 2 seconds ago. Null: it has none.',
    ),
    repositories: z
      .array(RepositoryDiff)
      .describe('Its git repositories, at most 20. Empty if there are none.'),
  })
  .meta({ id: 'WorkspaceDiff', description: 'What changed in a workspace since it was made.' });
export type WorkspaceDiff = z.infer<typeof WorkspaceDiff>;
