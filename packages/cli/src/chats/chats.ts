import type { CallAnswer } from '@chatd/client';
import { confirm } from '../access/read-secret.ts';
import {
  collect,
  command,
  group,
  JSON_OPTION,
  Option,
  type Run,
  YES_OPTION,
} from '../command-line/command.ts';
import { printJson, printList, printRecord } from '../output/listing.ts';
import { ago, duration, money, tokens } from '../output/quantities.ts';
import { oneLine, terminalText } from '../output/terminal-text.ts';
import { toArray } from '../output/to-array.ts';
import { usageError } from '../command-failed.ts';
import { timeOf, wholeNumber } from '../resources/fields.ts';
import { findModel } from '../resources/models.ts';
import { findProject } from '../resources/projects.ts';
import { findWorkspace } from '../resources/workspaces.ts';
import { type Chat, findChat } from './find-chat.ts';
import { labelsOf } from './labels.ts';
import { messageText } from './message-text.ts';
import { updateChat } from './update-chat.ts';
import { versionCommands } from './versions.ts';

const STATUSES = ['waiting', 'running', 'interrupting', 'requires_action', 'error'] as const;

export const chats = (run: Run) =>
  group('chats', 'Manage your chats', [
    command('list', 'List your chats, most recent activity first', {
      examples: [
        ['chatd chats list --status requires_action', 'Chats that wait for you'],
        ['chatd chats list --since 2026-11-01 --min-cost 5', 'Expensive chats since a day'],
        ["chatd chats list --json | jq -r '.[].id'", 'IDs only'],
      ],
    })
      .option('-q, --search <words>', 'Search in titles and messages')
      .addOption(new Option('--status <status>', 'Filter by status').choices(STATUSES))
      .option('--label <name=value>', 'Filter by label')
      .option('--project <project>', 'Filter by project')
      .option('-m, --model <model>', 'Filter by model, by name or ID')
      .option('-w, --workspace <workspace>', 'Filter by workspace')
      .option('--since <time>', 'Active on or after this day or time')
      .option('--until <time>', 'Active before this day or time')
      .option('--min-cost <amount>', 'Filter by cost, including subagents: at least this amount')
      .option('--archived', 'List archived chats')
      .option('--shared', 'List the chats of other users that are shared with you')
      .option('--all', 'List the chats of all users. Requires an admin; access is logged')
      .option('-n, --limit <n>', 'Maximum number of chats. Default: 50')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, options) => {
          const client = await context.client();
          const limit = wholeNumber(options.limit, '--limit') ?? 50;
          const query = {
            q: options.search,
            status: options.status,
            // The API separates name and value with a colon.
            label: options.label?.replace(/^([^:=]+)=/, '$1:'),
            project_id: options.project && (await findProject(client, options.project)).id,
            model_config_id: options.model && (await findModel(client, options.model)).id,
            workspace_id: options.workspace && (await findWorkspace(client, options.workspace)).id,
            active_after: timeOf(options.since),
            active_before: timeOf(options.until),
            min_cost_micros: micros(options.minCost),
            archived: options.archived === true ? ('true' as const) : undefined,
            shared: options.shared === true ? ('with_me' as const) : undefined,
            all: options.all === true ? ('true' as const) : undefined,
            limit: Math.max(1, Math.min(200, limit)),
          };
          printList(
            context,
            await toArray(client.chats.each(query), limit),
            [
              { title: 'ID', value: ({ id }) => id },
              { title: 'STATUS', value: ({ status }) => status },
              { title: 'TITLE', value: ({ title }) => title, flexible: true },
              ...(options.shared === true
                ? [{ title: 'OWNER', value: ({ owner_name = '' }: Chat) => owner_name }]
                : []),
              { title: 'UPDATED', value: ({ updated_at }) => ago(updated_at, context.now()) },
            ],
            { json: options.json, none: 'No chats found. Start one: chatd chat' },
          );
        }),
      ),
    command('show', 'Show the messages of a chat')
      .argument('<chat>')
      .option('--tail <n>', 'Show only the last N messages')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { tail, json }) => {
          const client = await context.client();
          const chat = await findChat(client, word);
          const limit = wholeNumber(tail, '--tail');
          const newestFirst = await toArray(client.chats.eachMessage(chat.id), limit);
          const messages = newestFirst.toReversed();
          if (json === true) return printJson(context, { chat, messages });
          const { style } = context;
          context.print(
            `${style('bold', oneLine(chat.title))} ${style('dim', `${chat.id} · ${chat.status}`)}\n`,
          );
          for (const message of messages) {
            const text = messageText(message);
            if (text === '') continue;
            context.print(
              `\n${style(message.role === 'user' ? 'cyan' : 'green', message.role)}\n${text}\n`,
            );
          }
        }),
      ),
    command('export', 'Export a chat with all messages to stdout', {
      examples: [['chatd chats export 019f2c10 > chat.md', 'A unique prefix of the ID is enough']],
    })
      .argument('<chat>')
      .addOption(
        new Option('--format <format>', 'Format. Default: markdown').choices([
          'markdown',
          'json',
        ] as const),
      )
      .action(
        run(async (context, word, { format = 'markdown' }) => {
          const client = await context.client();
          const { id } = await findChat(client, word);
          const file = await client.call('exportChat', {
            params: { chat_id: id },
            query: { format },
          });
          const text = await file.text();
          context.print(context.stdout.isTTY ? terminalText(text) : text);
        }),
      ),
    command('cost', 'Show the cost of a chat and its subagents')
      .argument('<chat>')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { json }) => {
          const client = await context.client();
          const { id } = await findChat(client, word);
          const cost = await client.call('getChatCost', { params: { chat_id: id } });
          printRecord(context, json === true ? cost : costFields(cost), json);
        }),
      ),
    command('label', 'Show, set or remove labels of a chat', {
      examples: [
        ['chatd chats label 019f2c10 project=shop --remove draft', 'Set a label, remove another'],
        ['chatd chats label 019f2c10', 'Show its labels'],
      ],
    })
      .argument('<chat>')
      .argument('[name=value...]')
      .option('--remove <name>', 'Remove a label. Repeatable', collect)
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, given, { remove = [], json }) => {
          const client = await context.client();
          const chat = await findChat(client, word);
          const changes = {
            ...Object.fromEntries(remove.map((name) => [name, null])),
            ...labelsOf(given),
          };
          const { labels } =
            Object.keys(changes).length === 0
              ? chat
              : await client.chats.update(chat.id, { labels: changes });
          if (json !== true && Object.keys(labels).length === 0) {
            context.log('The chat has no labels.');
          } else printRecord(context, labels, json);
        }),
      ),
    updateChat(run),
    ...versionCommands(run),
    ...(
      [
        ['archive', 'Archive chats', true],
        ['unarchive', 'Unarchive chats', false],
      ] as const
    ).map(([name, summary, archived]) =>
      command(name, summary)
        .argument('<chat...>')
        .action(
          run(async (context, words) => {
            const client = await context.client();
            for (const word of words) {
              const { id } = await findChat(client, word);
              await client.call('updateChat', { params: { chat_id: id }, body: { archived } });
              context.log(`${archived ? 'Archived' : 'Unarchived'} ${id}.`);
            }
          }),
        ),
    ),
    command('delete', 'Delete a chat; you can restore it for 24 hours')
      .argument('<chat>')
      .addOption(YES_OPTION)
      .action(
        run(async (context, word, { yes }) => {
          const client = await context.client();
          const { id, title } = await findChat(client, word);
          if (yes !== true) await confirm(context, `Delete ${terminalText(title)}?`);
          await client.call('deleteChat', { params: { chat_id: id } });
          context.log(`Deleted ${id}. Restore it within 24 hours: chatd chats restore ${id}`);
        }),
      ),
    command('restore', 'Restore a chat that was deleted in the last 24 hours')
      .argument('<id>')
      .action(
        run(async (context, id) => {
          const client = await context.client();
          await client.call('restoreChat', { params: { chat_id: id } });
          context.log(`Restored ${id}.`);
        }),
      ),
  ]);

function micros(amount: string | undefined): number | undefined {
  if (amount === undefined) return undefined;
  if (/^\d{1,9}(\.\d{1,6})?$/.test(amount)) return Math.round(Number(amount) * 1_000_000);
  throw usageError(`--min-cost must be an amount such as 2.50, not ${JSON.stringify(amount)}.`);
}

/** The cost of a chat as text. */
export function costFields({ total }: CallAnswer<'getChatCost'>): Record<string, string> {
  const unpriced = total.unpriced_calls > 0 ? ' plus calls without a known price' : '';
  return {
    cost: `${money(total.cost_micros)}${unpriced}`,
    calls: String(total.calls),
    tokens_in: tokens(total.input_tokens),
    tokens_out: tokens(total.output_tokens),
    from_cache: tokens(total.cache_read_tokens),
    runtime: `${duration(total.runtime_ms)}, tools ${duration(total.tool_runtime_ms)}`,
  };
}
