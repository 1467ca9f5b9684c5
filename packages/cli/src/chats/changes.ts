import { ChatdProblem, type Client } from '@chatd/client';
import { type FileChange, fileChanges } from '@chatd/protocol/presentation';
import { EXIT } from '../exit-codes.ts';
import { CommandFailed, usageError } from '../command-failed.ts';
import { command, JSON_OPTION, type Run } from '../command-line/command.ts';
import { printList } from '../output/listing.ts';
import { ago } from '../output/quantities.ts';
import { oneLine } from '../output/terminal-text.ts';
import { findChat } from './find-chat.ts';

export const changes = (run: Run) =>
  command('changes', 'List the files that each turn of a chat changed', {
    examples: [
      ['chatd changes 019f2c10', 'List the turns and restores that changed files'],
      ['chatd changes 019f2c10 --diff ID', 'Show the changes of one as a patch'],
    ],
  })
    .argument('<chat>')
    .option('--diff <id>', 'Print the patch of this change')
    .addOption(JSON_OPTION)
    .action(
      run(async (context, word, { diff, json }) => {
        const client = await context.client();
        const { id } = await findChat(client, word);
        if (diff !== undefined) {
          const { repositories } = await client.chats.checkpointDiff(id, diff);
          for (const { patch } of repositories) context.print(patch);
          return;
        }
        const { checkpoints, unavailable } = await client.chats.checkpoints(id, { limit: 200 });
        if (unavailable !== null) context.log(unavailable);
        printList(
          context,
          fileChanges(checkpoints).map(({ after }) => after),
          [
            { title: 'ID', value: (change) => change.id },
            { title: 'BY', value: ({ kind }) => (kind === 'restore' ? 'restore' : 'turn') },
            { title: 'MESSAGE', value: (change) => String(change.turn_message_id ?? '') },
            { title: 'FILES', value: ({ files }) => String(files) },
            { title: 'LINES', value: (change) => `+${change.additions} −${change.deletions}` },
            { title: 'CREATED', value: ({ created_at }) => ago(created_at, context.now()) },
          ],
          { json, none: 'No turn of the chat has changed files.' },
        );
      }),
    );

export const undo = (run: Run) =>
  command('undo', 'Restore the files of a chat to before its last change', {
    examples: [
      ['chatd undo 019f2c10', 'Take back the last turn that changed files, or the last restore'],
      ['chatd undo 019f2c10 --change ID', 'To before a change of chatd changes'],
    ],
  })
    .argument('<chat>')
    .option('--change <id>', 'Change to take back, with all later ones. Default: the last one')
    .option('--overwrite', 'Overwrite files that were changed since by others')
    .action(
      run(async (context, word, { change, overwrite }) => {
        const client = await context.client();
        const { id } = await findChat(client, word);
        const { before } = await findChange(client, id, change);
        try {
          const restored = await client.chats.restoreCheckpoint(id, before.id, {
            overwrite: overwrite === true,
          });
          context.log(`Restored ${restored.files} files. To undo this, run chatd undo ${id}.`);
        } catch (error) {
          if (!(error instanceof ChatdProblem) || error.code !== 'files_changed') throw error;
          for (const { path } of error.errors) context.log(`  ${oneLine(path)}`);
          throw new CommandFailed(
            EXIT.refused,
            'Files were changed since the last checkpoint, so nothing was restored.',
            'Check the files above. To overwrite them, add --overwrite.',
          );
        }
      }),
    );

async function findChange(client: Client, id: string, wanted?: string): Promise<FileChange> {
  const { checkpoints, unavailable } = await client.chats.checkpoints(id, { limit: 200 });
  const found = fileChanges(checkpoints).find(
    ({ after }) => wanted === undefined || after.id === wanted,
  );
  if (found !== undefined) return found;
  throw usageError(
    wanted === undefined
      ? (unavailable ?? 'No turn of the chat has changed files.')
      : `The chat has no change with the ID ${JSON.stringify(wanted)}.`,
    'See chatd changes.',
  );
}
