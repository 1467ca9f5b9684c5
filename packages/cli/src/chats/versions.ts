import { command, JSON_OPTION, type Run } from '../command-line/command.ts';
import { usageError } from '../command-failed.ts';
import { printList } from '../output/listing.ts';
import { ago } from '../output/quantities.ts';
import { toArray } from '../output/to-array.ts';
import { wholeNumber } from '../resources/fields.ts';
import { findModel } from '../resources/models.ts';
import { findChat } from './find-chat.ts';

export const versionCommands = (run: Run) => [
  command('retry', 'Regenerate the last answer; the old one remains as a version', {
    examples: [
      ['chatd chats retry 019f2c10', 'With the model of the chat'],
      ['chatd chats retry 019f2c10 --model claude-opus', 'With another model'],
    ],
  })
    .argument('<chat>')
    .option('-m, --model <model>', 'Model from now on, by name or ID')
    .option('--message <id>', 'Message to answer again. Default: the last one')
    .action(
      run(async (context, word, { model, message }) => {
        const client = await context.client();
        const { id } = await findChat(client, word);
        const config = model === undefined ? undefined : await findModel(client, model);
        const target =
          wholeNumber(message, '--message') ??
          (await toArray(client.chats.eachMessage(id), 1))[0]?.id;
        if (target === undefined) throw usageError('The chat has no messages.');
        await client.chats.regenerate(id, target, { model_config_id: config?.id });
        context.log(`Regenerating the answer. See it: chatd chats show ${id}`);
      }),
    ),
  command('versions', 'List the versions of a chat, or switch to one', {
    examples: [
      ['chatd chats versions 019f2c10', 'List the versions'],
      ['chatd chats versions 019f2c10 --select 17', 'Switch to a version'],
    ],
  })
    .argument('<chat>')
    .option('--select <id>', 'Switch to this version')
    .addOption(JSON_OPTION)
    .action(
      run(async (context, word, { select, json }) => {
        const client = await context.client();
        const { id } = await findChat(client, word);
        const chosen = wholeNumber(select, '--select');
        if (chosen !== undefined) await client.chats.selectVersion(id, chosen);
        const { branches } = await client.chats.versions(id);
        const rows = branches.flatMap(({ after_message_id, versions }) =>
          versions.map((version) => ({ after_message_id, ...version })),
        );
        printList(
          context,
          rows,
          [
            { title: 'ID', value: (version) => String(version.id) },
            { title: 'CURRENT', value: ({ current }) => (current ? 'yes' : '') },
            { title: 'AFTER', value: ({ after_message_id: after }) => String(after ?? '') },
            { title: 'TEXT', value: ({ text }) => text, flexible: true },
            { title: 'CREATED', value: ({ created_at }) => ago(created_at, context.now()) },
          ],
          { json, none: 'The chat has one version.' },
        );
      }),
    ),
];
