import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { CallAnswer, Client } from '@chatd/client';
import { confirm } from '../access/read-secret.ts';
import { CommandFailed } from '../command-failed.ts';
import { action, group } from '../command-line/command.ts';
import { EXIT } from '../exit-codes.ts';
import { collect } from '../output/collect.ts';
import { JSON_OPTION, printList } from '../output/listing.ts';
import { ago, bytes } from '../output/quantities.ts';
import { oneLine } from '../output/terminal-text.ts';
import { pick } from './pick.ts';

type StoredFile = CallAnswer<'uploadFile'>;

const listFiles = (client: Client): Promise<StoredFile[]> =>
  collect(client.files.each({ limit: 200 }));

async function findFile(client: Client, word: string): Promise<StoredFile> {
  return pick(await listFiles(client), word, 'file', ({ name }) => [name]);
}

export const files = group({
  name: 'files',
  summary: 'Your files: list, download, delete',
  commands: [
    action({
      name: 'list',
      summary: 'Your files, newest first, also those that models and tools made',
      options: JSON_OPTION,
      async run({ values, context }) {
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
          { json: values.json, none: 'You have no files.' },
        );
        const quota = max_bytes === null ? '' : ` of ${bytes(max_bytes)}`;
        context.say(`${bytes(used_bytes)}${quota} used.`);
        return EXIT.ok;
      },
    }),
    action({
      name: 'download',
      summary: 'Save a file; an existing file is not overwritten',
      positionals: [{ name: 'FILE' }],
      options: {
        output: {
          type: 'string',
          short: 'o',
          value: 'PATH',
          help: 'Default: the name of the file',
        },
      },
      examples: [['chatd files download photo.png -o /tmp/photo.png', 'save it elsewhere']],
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id, name } = await findFile(client, word);
        const path = values.output ?? basename(name);
        const content = await client.files.download(id);
        await save(path, new Uint8Array(await content.arrayBuffer()));
        context.say(`Saved ${oneLine(path)}.`);
        return EXIT.ok;
      },
    }),
    action({
      name: 'delete',
      summary: 'Delete a file; chats that use it stay',
      positionals: [{ name: 'FILE' }],
      options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id, name, chat_ids } = await findFile(client, word);
        const used = chat_ids.length === 0 ? '' : ` It is used in ${chat_ids.length} chats.`;
        if (values.yes !== true) await confirm(context, `Delete ${name}?${used}`);
        await client.files.delete(id);
        context.say(`Deleted ${oneLine(name)}.`);
        return EXIT.ok;
      },
    }),
  ],
});

async function save(path: string, content: Uint8Array): Promise<void> {
  try {
    await writeFile(path, content, { flag: 'wx' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const why = code === 'EEXIST' ? 'a file with this name exists' : code;
    throw new CommandFailed(
      EXIT.failed,
      `${oneLine(path)} cannot be written: ${why}.`,
      'Choose another path with --output.',
    );
  }
}
