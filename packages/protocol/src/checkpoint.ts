import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';

export const CheckpointKind = enumeration('CheckpointKind', 'Kind of a checkpoint.', {
  before_turn: 'the files before the first change of a turn',
  step: 'the files after a step of a turn that changed files',
  before_restore: 'the files before a restore; restore it to undo the restore',
  restore: 'the files after a restore',
});
export type CheckpointKind = z.infer<typeof CheckpointKind>;

export const Checkpoint = z
  .object({
    id: Uuid.describe('ID of the checkpoint. IDs sort by creation time.'),
    kind: CheckpointKind.describe('Kind of the checkpoint.'),
    turn_message_id: z
      .int()
      .nullable()
      .describe('User message that started the turn. Null: the chat has no message.'),
    message_id: z
      .int()
      .nullable()
      .describe('Last message of the chat at that time. Null: the chat has no message.'),
    files: z
      .int()
      .describe(
        'Number of files changed. `step`: since the beginning of the turn. `before_turn`: since the previous checkpoint, by others. `restore`: by the restore.',
      ),
    additions: z.int().describe('Number of added lines in these files.'),
    deletions: z.int().describe('Number of deleted lines in these files.'),
    too_large: z
      .array(z.string())
      .describe('Files that are not in the checkpoint because they exceed 10 MiB. At most 100.'),
    created_at: Timestamp.describe('Creation time.'),
  })
  .meta({ id: 'Checkpoint', description: 'A recorded state of the files of a workspace.' });
export type Checkpoint = z.infer<typeof Checkpoint>;
