import type { CallAnswer } from '@chatd/client';
import { confirm } from '../access/read-secret.ts';
import { action, group } from '../command-line/command.ts';
import { EXIT } from '../exit-codes.ts';
import { collect } from '../output/collect.ts';
import { JSON_OPTION, printJson, printList, printRecord } from '../output/listing.ts';
import { ago, duration, money, tokens } from '../output/quantities.ts';
import { oneLine, terminalText } from '../output/terminal-text.ts';
import { wholeNumber } from '../resources/fields.ts';
import { findChat } from './find-chat.ts';
import { labelsOf } from './labels.ts';
import { messageText } from './message-text.ts';
import { updateChat } from './update-chat.ts';

const STATUSES = ['waiting', 'running', 'interrupting', 'requires_action', 'error'] as const;
const FORMATS = ['markdown', 'json'] as const;

const CHAT = [{ name: 'CHAT' }] as const;

export const chats = group({
  name: 'chats',
  summary: 'Your chats: list, show, export, label, archive, delete',
  commands: [
    action({
      name: 'list',
      summary: 'Your chats, newest activity first',
      options: {
        search: { type: 'string', short: 'q', value: 'WORDS', help: 'In titles and messages' },
        status: { type: 'string', choices: STATUSES, help: 'Only such' },
        label: { type: 'string', value: 'NAME=VALUE', help: 'Only with this label' },
        archived: { type: 'boolean', help: 'The archived ones' },
        all: { type: 'boolean', help: 'As an admin: of all users. Every such look is logged' },
        limit: { type: 'string', short: 'n', value: 'N', help: 'How many; 50 unless told' },
        ...JSON_OPTION,
      },
      examples: [
        ['chatd chats list --status requires_action', 'those that wait for you'],
        ["chatd chats list --json | jq -r '.[].id'", 'their ids'],
      ],
      async run({ values, context }) {
        const client = await context.client();
        const limit = wholeNumber(values.limit, '--limit') ?? 50;
        const query = {
          q: values.search,
          status: values.status as (typeof STATUSES)[number] | undefined,
          // As `run --label` is written; the API has a colon, which is fine here, too.
          label: values.label?.replace(/^([^:=]+)=/, '$1:'),
          archived: values.archived === true ? ('true' as const) : undefined,
          all: values.all === true ? ('true' as const) : undefined,
          limit: Math.max(1, Math.min(200, limit)),
        };
        const rows = await collect(client.chats.each(query), limit);
        printList(
          context,
          rows,
          [
            { title: 'ID', value: ({ id }) => id },
            { title: 'STATUS', value: ({ status }) => status },
            { title: 'TITLE', value: ({ title }) => title, flexible: true },
            { title: 'UPDATED', value: ({ updated_at }) => ago(updated_at, context.now()) },
          ],
          { json: values.json, none: 'There are no such chats. Begin one: chatd chat' },
        );
        return EXIT.ok;
      },
    }),
    action({
      name: 'show',
      summary: 'What was said in a chat',
      positionals: CHAT,
      options: {
        tail: { type: 'string', value: 'N', help: 'Only the last messages' },
        ...JSON_OPTION,
      },
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const chat = await findChat(client, word);
        const tail = wholeNumber(values.tail, '--tail');
        const newestFirst = await collect(client.chats.eachMessage(chat.id), tail);
        const shown = newestFirst.toReversed();
        if (values.json === true) {
          printJson(context, { chat, messages: shown });
          return EXIT.ok;
        }
        const { style } = context;
        context.print(
          `${style('bold', oneLine(chat.title))} ${style('dim', `${chat.id} · ${chat.status}`)}\n`,
        );
        for (const message of shown) {
          const text = messageText(message);
          if (text === '') continue;
          context.print(
            `\n${style(message.role === 'user' ? 'cyan' : 'green', message.role)}\n${text}\n`,
          );
        }
        return EXIT.ok;
      },
    }),
    action({
      name: 'export',
      summary: 'A chat with all its messages, to stdout',
      positionals: CHAT,
      options: { format: { type: 'string', choices: FORMATS, help: 'markdown unless told' } },
      examples: [['chatd chats export 019f2c10 > chat.md', 'the beginning of an id is enough']],
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id } = await findChat(client, word);
        const file = await client.call('exportChat', {
          params: { chat_id: id },
          query: { format: (values.format ?? 'markdown') as (typeof FORMATS)[number] },
        });
        const text = await file.text();
        context.print(context.stdout.isTTY ? terminalText(text) : text);
        return EXIT.ok;
      },
    }),
    action({
      name: 'cost',
      summary: 'What a chat and its subagents have cost',
      positionals: CHAT,
      options: JSON_OPTION,
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id } = await findChat(client, word);
        const cost = await client.call('getChatCost', { params: { chat_id: id } });
        printRecord(context, values.json === true ? cost : costInWords(cost), values.json);
        return EXIT.ok;
      },
    }),
    action({
      name: 'label',
      summary: 'Give a chat labels, or take some away; its others stay',
      positionals: [...CHAT, { name: 'NAME=VALUE', rest: true, optional: true }],
      options: {
        remove: { type: 'string', multiple: true, value: 'NAME', help: 'Takes this label away' },
        ...JSON_OPTION,
      },
      examples: [
        ['chatd chats label 019f2c10 project=shop --remove draft', 'sets one, takes one away'],
        ['chatd chats label 019f2c10', 'those that it has'],
      ],
      async run({ values, positionals: [word = '', ...given], context }) {
        const client = await context.client();
        const chat = await findChat(client, word);
        const removed = Object.fromEntries(values.remove?.map((name) => [name, null]) ?? []);
        const labels = { ...removed, ...labelsOf(given) };
        const { labels: now } =
          Object.keys(labels).length === 0 ? chat : await client.chats.update(chat.id, { labels });
        if (values.json !== true && Object.keys(now).length === 0) context.say('It has no labels.');
        else printRecord(context, now, values.json);
        return EXIT.ok;
      },
    }),
    updateChat,
    ...([true, false] as const).map((archived) =>
      action({
        name: archived ? 'archive' : 'unarchive',
        summary: archived ? 'Put chats away' : 'Bring chats back that were put away',
        positionals: [{ name: 'CHAT', rest: true }],
        async run({ positionals, context }) {
          const client = await context.client();
          for (const word of positionals) {
            const { id } = await findChat(client, word);
            await client.call('updateChat', { params: { chat_id: id }, body: { archived } });
            context.say(`${archived ? 'Archived' : 'Brought back'} ${id}.`);
          }
          return EXIT.ok;
        },
      }),
    ),
    action({
      name: 'delete',
      summary: 'Delete a chat; it can be restored for 24 hours',
      positionals: CHAT,
      options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id, title } = await findChat(client, word);
        if (values.yes !== true) await confirm(context, `Delete ${terminalText(title)}?`);
        await client.call('deleteChat', { params: { chat_id: id } });
        context.say(`Deleted ${id}. Within 24 hours: chatd chats restore ${id}`);
        return EXIT.ok;
      },
    }),
    action({
      name: 'restore',
      summary: 'Bring back a chat that was deleted in the last 24 hours',
      positionals: CHAT,
      async run({ positionals: [id = ''], context }) {
        const client = await context.client();
        await client.call('restoreChat', { params: { chat_id: id } });
        context.say(`Brought back ${id}.`);
        return EXIT.ok;
      },
    }),
  ],
});

/** The cost of a chat for people. */
export function costInWords({ total }: CallAnswer<'getChatCost'>): Record<string, string> {
  return {
    cost: `${money(total.cost_micros)}${total.unpriced_calls > 0 ? ' and what has no known price' : ''}`,
    calls: String(total.calls),
    tokens_in: tokens(total.input_tokens),
    tokens_out: tokens(total.output_tokens),
    from_cache: tokens(total.cache_read_tokens),
    runtime: `${duration(total.runtime_ms)}, tools ${duration(total.tool_runtime_ms)}`,
  };
}
