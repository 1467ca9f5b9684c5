import { z } from 'zod';
import { Checkpoint } from '../checkpoint.ts';
import { Uuid } from '../ids.ts';
import { Cursor, Limit, NextCursor } from '../page.ts';
import { routeWith } from '../route.ts';
import { WorkspaceDiff } from '../workspace.ts';
import { ChatParams } from './chats.ts';

const route = routeWith('Checkpoints');

const CheckpointParams = ChatParams.extend({
  checkpoint_id: Uuid.describe('A checkpoint of the chat, from `listCheckpoints`.'),
});

export const checkpointRoutes = {
  listCheckpoints: route({
    method: 'get',
    path: '/chats/{chat_id}/checkpoints',
    summary: 'List the checkpoints of a chat, newest first',
    description:
      'Each turn that changes files has a checkpoint before its first change, and one after each step that changed files. Includes the changes of subagents. First records the files of a turn that was cut off.',
    scope: 'read',
    access: 'viewer',
    params: ChatParams,
    query: z.strictObject({ limit: Limit, cursor: Cursor }),
    answers: {
      200: z.object({
        checkpoints: z.array(Checkpoint).describe('One page of checkpoints.'),
        next_cursor: NextCursor,
        unavailable: z
          .string()
          .nullable()
          .describe(
            'Why the workspace of the chat has no checkpoints. Null: it has, or the chat has no workspace.',
          ),
        left_out: z
          .array(z.string())
          .describe(
            'Names of folders that checkpoints leave out, in addition to `.git` and what `.gitignore` files name.',
          ),
      }),
    },
    refusals: ['invalid_query', 'invalid_cursor', 'workspaces_disabled'],
  }),
  getCheckpointDiff: route({
    method: 'get',
    path: '/chats/{chat_id}/checkpoints/{checkpoint_id}/diff',
    summary: 'Get the changes of a checkpoint',
    description:
      'The same changes that `files`, `additions` and `deletions` of the checkpoint count, as one repository with the path `.`.',
    scope: 'read',
    access: 'viewer',
    params: CheckpointParams,
    answers: { 200: WorkspaceDiff },
    refusals: [
      'workspaces_disabled',
      'workspace_not_ready',
      'machine_offline',
      'checkpoint_unavailable',
    ],
  }),
  restoreCheckpoint: route({
    method: 'post',
    path: '/chats/{chat_id}/checkpoints/{checkpoint_id}/restore',
    summary: "Restore the files of the chat's workspace",
    description:
      'Creates, changes and deletes files until they are those of the checkpoint. Files that checkpoints leave out stay as they are. The present files are recorded first, so that a restore can be undone. Refused while a turn uses the workspace. If files that the restore would change were changed since the last checkpoint, it is refused with `files_changed`, and `errors` lists them.',
    scope: 'write',
    access: 'editor',
    params: CheckpointParams,
    body: z.strictObject({
      overwrite: z
        .boolean()
        .default(false)
        .describe(
          'Restores although it overwrites or deletes files that were changed since the last checkpoint. Files that checkpoints leave out are lost. Default: false.',
        ),
    }),
    answers: { 200: Checkpoint },
    refusals: [
      'workspaces_disabled',
      'workspace_not_ready',
      'machine_offline',
      'chat_active',
      'files_changed',
      'checkpoint_unavailable',
    ],
    secret: true,
  }),
};
