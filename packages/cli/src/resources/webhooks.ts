import type { CallAnswer, Client } from '@chatd/client';
import type { WebhookEventType } from '@chatd/protocol';
import { labelsOf } from '../chats/labels.ts';
import { confirm } from '../access/read-secret.ts';
import { usageError } from '../command-failed.ts';
import {
  collect,
  command,
  group,
  JSON_OPTION,
  type Run,
  YES_OPTION,
} from '../command-line/command.ts';
import type { Context } from '../context.ts';
import { printJson, printList, printRecord } from '../output/listing.ts';
import { ago } from '../output/quantities.ts';
import { toArray } from '../output/to-array.ts';
import { bodyFor, enabledBy } from './fields.ts';
import { isId, pick } from './pick.ts';
import { deleteCommand, ownedListCommand, showCommand } from './resource-commands.ts';
import { printTest } from './test-result.ts';

type Webhook = CallAnswer<'getWebhook'>;

const listWebhooks = (client: Client, query: { readonly all?: boolean } = {}): Promise<Webhook[]> =>
  toArray(client.iterate('listWebhooks', { query: { ...query, limit: 200 } }));

/** Only by its ID if it is another user's. */
const findWebhook = async (client: Client, word: string): Promise<Webhook> =>
  isId(word)
    ? await client.call('getWebhook', { params: { webhook_id: word } })
    : pick(await listWebhooks(client), word, 'webhook', ({ url }) => [url]);

const EVENTS = [
  'chat.waiting',
  'chat.requires_action',
  'chat.error',
  'trigger.failed',
  'trigger.disabled',
] as const satisfies readonly WebhookEventType[];

function eventsOf(words: readonly string[]): WebhookEventType[] {
  return words.map((word) => {
    const event = EVENTS.find((one) => one === word);
    if (event !== undefined) return event;
    throw usageError(`--event must be one of ${EVENTS.join(', ')}, not ${JSON.stringify(word)}.`);
  });
}

/** The fields that both commands set. */
const fieldsFor = ({
  event,
  label,
}: {
  readonly event?: readonly string[] | undefined;
  readonly label?: readonly string[] | undefined;
}) => ({
  events: event && eventsOf(event),
  filter: label && { labels: labelsOf(label, '--label ') },
});

const EVENT_OPTION = [
  '--event <event>',
  `Event to send: ${EVENTS.join(', ')}. Repeatable`,
] as const;
const LABEL_OPTION = ['--label <name=value>', 'Only chats with this label. Repeatable'] as const;

/** The secret is printed alone, to stdout. */
function printSecret(
  context: Context,
  created: CallAnswer<'createWebhook'>,
  json: boolean | undefined,
  what: string,
): void {
  if (json === true) printJson(context, created);
  else context.print(`${created.secret}\n`);
  context.log(`${what} Its secret is not shown again.`);
}

export const webhooks = (run: Run) =>
  group('webhooks', 'Manage webhooks: URLs that get events of your chats', [
    ownedListCommand(
      run,
      'webhooks',
      listWebhooks,
      [
        { title: 'ID', value: ({ id }) => id },
        { title: 'URL', value: ({ url }) => url, flexible: true },
        { title: 'EVENTS', value: ({ events }) => events.join(' ') },
        { title: '', value: ({ enabled }) => (enabled ? '' : 'disabled') },
      ],
      'You have no webhooks. Create one: chatd webhooks create URL --event chat.waiting',
    ),
    command('create', 'Create a webhook and print its secret once, to stdout', {
      examples: [
        [
          'chatd webhooks create https://example.com/chatd --event chat.waiting --event chat.error',
          'When turns end or fail',
        ],
        [
          'chatd webhooks create https://example.com/ci --event chat.waiting --label source=ci',
          'Only for chats with a label',
        ],
      ],
    })
      .argument('<url>')
      .option(EVENT_OPTION[0], `${EVENT_OPTION[1]}. Default: all`, collect)
      .option(...LABEL_OPTION, collect)
      .addOption(JSON_OPTION)
      .action(
        run(async (context, url, { json, event = EVENTS, label }) => {
          const client = await context.client();
          const created = await client.call('createWebhook', {
            body: bodyFor('createWebhook', { url }, fieldsFor({ event, label })),
          });
          printSecret(context, created, json, `Created the webhook ${created.id}.`);
        }),
      ),
    showCommand(run, '<webhook>', 'Show a webhook', findWebhook),
    command('update', 'Change a webhook')
      .argument('<webhook>')
      .option('--to <url>', 'URL')
      .option(...EVENT_OPTION, collect)
      .option(...LABEL_OPTION, collect)
      .option('--enable', 'Send events')
      .option('--disable', 'Send no new events')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { to, event, label, json, ...options }) => {
          const client = await context.client();
          const { id } = await findWebhook(client, word);
          const changed = await client.call('updateWebhook', {
            params: { webhook_id: id },
            body: bodyFor(
              'updateWebhook',
              { url: to, enabled: enabledBy(options) },
              fieldsFor({ event, label }),
            ),
          });
          printRecord(context, changed, json);
        }),
      ),
    command('rotate-secret', 'Replace the secret of a webhook and print the new one', {
      details: 'For 24 hours, requests are signed with both secrets.',
    })
      .argument('<webhook>')
      .addOption(YES_OPTION)
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { yes, json }) => {
          const client = await context.client();
          const { id, url } = await findWebhook(client, word);
          if (yes !== true) await confirm(context, `Replace the secret of ${url}?`);
          const rotated = await client.call('rotateWebhookSecret', { params: { webhook_id: id } });
          printSecret(context, rotated, json, `Replaced the secret of ${url}.`);
        }),
      ),
    command('test', 'Send a test event to a webhook')
      .argument('<webhook>')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { json }) => {
          const client = await context.client();
          const { id } = await findWebhook(client, word);
          const result = await client.call('testWebhook', { params: { webhook_id: id } });
          return printTest(context, result, json);
        }),
      ),
    command('deliveries', 'List the latest events of a webhook')
      .argument('<webhook>')
      .option('--dead', 'Only dead letters: events whose delivery has failed for 24 hours')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { dead, json }) => {
          const client = await context.client();
          const { id } = await findWebhook(client, word);
          const { deliveries } = await client.call('listWebhookDeliveries', {
            params: { webhook_id: id },
            query: { limit: 100, ...(dead === true && { state: 'dead' }) },
          });
          printList(
            context,
            deliveries,
            [
              { title: 'ID', value: (one) => String(one.id) },
              { title: 'EVENT', value: ({ event }) => event },
              { title: 'CHAT', value: ({ data }) => data.chat_id ?? '' },
              { title: 'STATE', value: ({ state }) => state },
              { title: 'TRIES', align: 'right', value: ({ attempts }) => String(attempts) },
              { title: 'AGE', value: ({ created_at }) => ago(created_at, context.now()) },
              { title: 'ERROR', value: ({ last_error }) => last_error ?? '', flexible: true },
            ],
            { json, none: dead === true ? 'There are no dead letters.' : 'There are no events.' },
          );
        }),
      ),
    command('redeliver', 'Deliver dead letters of a webhook again', {
      examples: [
        ['chatd webhooks redeliver https://example.com/chatd', 'All dead letters'],
        ['chatd webhooks redeliver https://example.com/chatd 4711', 'One event'],
      ],
    })
      .argument('<webhook>')
      .argument('[delivery]', 'ID of an event. Default: all dead letters')
      .action(
        run(async (context, word, delivery) => {
          const client = await context.client();
          const { id: webhook_id } = await findWebhook(client, word);
          if (delivery === undefined) {
            const { count } = await client.call('redeliverWebhookEvents', {
              params: { webhook_id },
            });
            return context.log(`Delivering ${count} dead letter${count === 1 ? '' : 's'} again.`);
          }
          const delivery_id = Number(delivery);
          if (!Number.isSafeInteger(delivery_id)) {
            throw usageError(`${JSON.stringify(delivery)} is not the ID of an event.`);
          }
          await client.call('redeliverWebhookEvent', { params: { webhook_id, delivery_id } });
          context.log(`Delivering event ${delivery} again.`);
        }),
      ),
    deleteCommand(
      run,
      '<webhook>',
      'Delete a webhook and its events',
      findWebhook,
      {
        name: ({ url }) => url,
        question: (url) => `Delete the webhook ${url}? Pending events are not delivered.`,
      },
      (client, { id }) => client.call('deleteWebhook', { params: { webhook_id: id } }),
    ),
  ]);
