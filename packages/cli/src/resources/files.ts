import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { CallAnswer, Client } from '@chatd/client';
import { confirm } from '../access/read-secret.ts';
import { CommandFailed } from '../command-failed.ts';
import { command, group, JSON_OPTION, type Run, YES_OPTION } from '../command-line/command.ts';
import { EXIT } from '../exit-codes.ts';
import { toArray } from '../output/to-array.ts';
import { printList } from '../output/listing.ts';
import { ago, bytes } from '../output/quantities.ts';
import { oneLine } from '../output/terminal-text.ts';
import { pick } from './pick.ts';

type StoredFile = CallAnswer<'uploadFile'>;

const listFiles = (client: Client): Promise<StoredFile[]> =>
  toArray(client.files.each({ limit: 200 }));

async function findFile(client: Client, word: string): Promise<StoredFile> {
  return pick(await listFiles(client), word, 'file', ({ name }) => [name]);
}

export const files = (run: Run) =>
  group('files', 'Manage your files', [
    command('list', 'List your files, newest first, including files that models and tools created')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, { json }) => {
          const client = await context.client();
          const { used_bytes, max_bytes } = await client.files.list({ limit: 1 });
          printList(
            context,
            await listFiles(client),
            [
              { title: 'ID', value: ({ id }) => id },
              { title: 'NAME', value: ({ name }) => name, flexible: true },
              { title: 'TYPE', value: ({ media_type }) => media_type },
              { title: 'SIZE', value: ({ size }) => bytes(size) },
              { title: 'CHATS', value: ({ chat_ids }) => String(chat_ids.length) },
              { title: 'CREATED', value: ({ created_at }) => ago(created_at, context.now()) },
            ],
            { json, none: 'You have no files.' },
          );
          const quota = max_bytes === null ? '' : ` of ${bytes(max_bytes)}`;
          context.log(`${bytes(used_bytes)}${quota} used.`);
        }),
      ),
    command('download', 'Download a file; existing local files are not overwritten', {
      examples: [['chatd files download photo.png -o /tmp/photo.png', 'Save it to another path']],
    })
      .argument('<file-name>')
      .option('-o, --output <path>', 'Local path. Default: the name of the file')
      .action(
        run(async (context, word, { output }) => {
          const client = await context.client();
          const { id, name } = await findFile(client, word);
          const path = output ?? basename(name);
          const content = await client.files.download(id);
          await save(path, new Uint8Array(await content.arrayBuffer()));
          context.log(`Saved ${oneLine(path)}.`);
        }),
      ),
    command('delete', 'Delete a file; chats that use it are kept')
      .argument('<file-name>')
      .addOption(YES_OPTION)
      .action(
        run(async (context, word, { yes }) => {
          const client = await context.client();
          const { id, name, chat_ids } = await findFile(client, word);
          const used = chat_ids.length === 0 ? '' : ` It is used in ${chat_ids.length} chats.`;
          if (yes !== true) await confirm(context, `Delete ${name}?${used}`);
          await client.files.delete(id);
          context.log(`Deleted ${oneLine(name)}.`);
        }),
      ),
  ]);

async function save(path: string, content: Uint8Array): Promise<void> {
  try {
    await writeFile(path, content, { flag: 'wx' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new CommandFailed(
      EXIT.failed,
      `Cannot write ${oneLine(path)}: ${code === 'EEXIST' ? 'the file already exists' : code}.`,
      'Choose another path with --output.',
    );
  }
}
