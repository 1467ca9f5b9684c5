import type { CallAnswer, Client } from '@chatd/client';
import { readLine } from '../access/read-secret.ts';
import { usageError } from '../command-failed.ts';
import { command, group, JSON_OPTION, type Run } from '../command-line/command.ts';
import type { Context } from '../context.ts';
import { printList, printRecord } from '../output/listing.ts';
import { ago } from '../output/quantities.ts';
import { toArray } from '../output/to-array.ts';
import {
  bodyFor,
  defined,
  enabledBy,
  fieldsOf,
  SET_OPTION,
  spendLimit,
  wholeNumber,
} from './fields.ts';
import { findModel } from './models.ts';
import { isId, pick } from './pick.ts';
import { findProject } from './projects.ts';
import { deleteCommand, ownedListCommand, showCommand } from './resource-commands.ts';

type Trigger = CallAnswer<'getTrigger'>;

const listTriggers = (client: Client, query: { readonly all?: boolean } = {}): Promise<Trigger[]> =>
  toArray(client.iterate('listTriggers', { query: { ...query, limit: 200 } }));

/** Only by its ID if it is another user's. */
const findTrigger = async (client: Client, word: string): Promise<Trigger> =>
  isId(word)
    ? await client.call('getTrigger', { params: { trigger_id: word } })
    : pick(await listTriggers(client), word, 'trigger', ({ name }) => [name]);

/** `create` or `update`, with the options of both. */
const changeCommand = (...definition: Parameters<typeof command>) =>
  command(...definition)
    .option('--cron <expression>', 'Schedule: minute, hour, day, month, weekday; seconds first')
    .option('--timezone <name>', 'Time zone of the schedule. Default: UTC')
    .option('--missed <policy>', 'Times at which no server ran: skip or once. Default: skip')
    .option(
      '--webhook <type>',
      'Webhook, verified by token, hmac-sha256, github, slack or standard-webhooks',
    )
    .option('--secret', 'Prompt for the secret of the webhook. Default: generate one')
    .option('--continue <key>', 'Runs with the same key continue the same chat')
    .option('-m, --model <model>', 'Model of the chats')
    .option('--project <project>', 'Project of the chats')
    .option('--concurrency <policy>', 'Overlapping runs: skip, queue or parallel. Default: queue')
    .option('--max-failures <n>', 'Consecutive failures that disable it; none for no limit')
    .option('--spend-limit <amount>', 'Monthly limit of its chats, such as 20; none for no limit')
    .addOption(SET_OPTION)
    .addOption(JSON_OPTION);

type ChangeOptions = ReturnType<ReturnType<typeof changeCommand>['opts']>;

export const triggers = (run: Run) =>
  group('triggers', 'Manage triggers: schedules and webhooks that start chats', [
    ownedListCommand(
      run,
      'triggers',
      listTriggers,
      [
        { title: 'ID', value: ({ id }) => id },
        { title: 'NAME', value: ({ name }) => name, flexible: true },
        { title: 'FIRES', value: ({ cron, path }) => cron ?? path ?? '' },
        { title: 'NEXT', value: ({ next_fire_at }) => next_fire_at ?? '' },
        { title: 'ENABLED', value: ({ enabled }) => (enabled ? 'yes' : 'no') },
      ],
      'You have no triggers. Create one: chatd triggers create NAME PROMPT --cron EXPRESSION',
    ),
    changeCommand('create', 'Create a trigger that fires on a schedule or for webhooks', {
      examples: [
        [
          'chatd triggers create nightly "Update the dependencies" --cron "0 3 * * *" --timezone Europe/Berlin',
          'Every night at 3:00 in Berlin',
        ],
        [
          'chatd triggers create issues "Triage {{payload.issue.title}}" --webhook github --continue "{{payload.issue.number}}"',
          'One chat for each GitHub issue',
        ],
      ],
    })
      .argument('<name>')
      .argument('<prompt>')
      .action(
        run(async (context, name, prompt, options) => {
          if ((options.cron === undefined) === (options.webhook === undefined)) {
            throw usageError('A trigger has a schedule or a webhook.', 'Use --cron or --webhook.');
          }
          const client = await context.client();
          const kind = options.cron === undefined ? 'webhook' : 'schedule';
          const trigger = await client.call('createTrigger', {
            body: bodyFor(
              'createTrigger',
              { kind, name, prompt },
              await changes(context, client, options),
            ),
          });
          printTrigger(context, client, trigger, options.json);
        }),
      ),
    showCommand(run, '<trigger>', 'Show a trigger', findTrigger),
    changeCommand('update', 'Change, enable or disable a trigger', {
      examples: [
        ['chatd triggers update nightly --disable', 'Disable it'],
        ['chatd triggers update issues --webhook github', 'Generate a new secret'],
      ],
    })
      .argument('<trigger>')
      .option('--name <name>', 'Name')
      .option('--prompt <text>', 'Message of each run')
      .option('--enable', 'Enable it')
      .option('--disable', 'Disable it')
      .action(
        run(async (context, word, options) => {
          const client = await context.client();
          const { id, chat } = await findTrigger(client, word);
          const { name, prompt } = options;
          const trigger = await client.call('updateTrigger', {
            params: { trigger_id: id },
            body: bodyFor(
              'updateTrigger',
              { name, prompt, enabled: enabledBy(options) },
              await changes(context, client, options, chat),
            ),
          });
          printTrigger(context, client, trigger, options.json);
        }),
      ),
    command('run', 'Run a trigger now', {
      examples: [
        [
          `chatd triggers run issues --payload '{"issue": {"number": 7, "title": "Broken link"}}'`,
          'With a test payload',
        ],
      ],
    })
      .argument('<trigger>')
      .option('--payload <json>', 'Payload for the inserts of the prompt. Default: {}')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { payload, json }) => {
          const client = await context.client();
          const { id } = await findTrigger(client, word);
          const started = await client.call('runTrigger', {
            params: { trigger_id: id },
            body: bodyFor('runTrigger', { payload: parsePayload(payload) }),
          });
          printRecord(context, started, json);
        }),
      ),
    command('runs', 'List the runs of a trigger, newest first')
      .argument('<trigger>')
      .option('-n, --limit <n>', 'Max number of runs. Default: 50')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { limit, json }) => {
          const client = await context.client();
          const { id } = await findTrigger(client, word);
          const { runs } = await client.call('listTriggerRuns', {
            params: { trigger_id: id },
            query: { limit: wholeNumber(limit, '--limit') ?? 50 },
          });
          printList(
            context,
            runs,
            [
              { title: 'STARTED', value: ({ created_at }) => ago(created_at, context.now()) },
              { title: 'STATUS', value: ({ status }) => status },
              { title: 'CHAT', value: ({ chat_id }) => chat_id ?? '' },
              {
                title: 'TIME OR DELIVERY',
                value: ({ fire_time, delivery_id }) => fire_time ?? delivery_id ?? 'manual',
              },
              { title: 'REASON', value: ({ reason }) => reason ?? '', flexible: true },
            ],
            { json, none: 'The trigger has not run.' },
          );
        }),
      ),
    deleteCommand(
      run,
      '<trigger>',
      'Delete a trigger and its runs; its chats are kept',
      findTrigger,
      {
        name: ({ name }) => name,
        question: (name) => `Delete the trigger ${name}? Its chats are kept.`,
      },
      (client, { id }) => client.call('deleteTrigger', { params: { trigger_id: id } }),
    ),
  ]);

/** The API replaces the settings of chats as a whole, so those without an option are kept from `before`. */
async function changes(
  context: Context,
  client: Client,
  options: ChangeOptions,
  before: Trigger['chat'] = {},
): Promise<object> {
  const { cron, timezone, missed, webhook, secret, concurrency, maxFailures } = options;
  const chat = defined({
    continue: options.continue === undefined ? undefined : { key: options.continue },
    model_config_id: options.model && (await findModel(client, options.model)).id,
    project_id: options.project && (await findProject(client, options.project)).id,
  });
  return {
    cron,
    timezone,
    missed,
    concurrency,
    ...(webhook !== undefined && {
      verify: {
        type: webhook,
        ...(secret === true && { secret: await readLine(context, 'Secret', { secret: true }) }),
      },
    }),
    ...(Object.keys(chat).length > 0 && { chat: { ...before, ...chat } }),
    ...(maxFailures !== undefined && { max_failures: failuresOf(maxFailures) }),
    spend_limit_micros: spendLimit(options.spendLimit),
    ...fieldsOf(options.set),
  };
}

function failuresOf(text: string): number | null {
  if (text === 'none') return null;
  if (/^\d+$/.test(text)) return Number(text);
  throw usageError('--max-failures must be a whole number, or none.');
}

/** A generated secret is in the record, once. */
function printTrigger(
  context: Context,
  client: Client,
  trigger: CallAnswer<'createTrigger'>,
  json: boolean | undefined,
): void {
  printRecord(context, trigger, json);
  if (trigger.path !== undefined) context.log(`Send requests to ${client.url}${trigger.path}`);
  if (trigger.secret !== undefined) context.log('The secret is not shown again.');
}

function parsePayload(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw usageError('--payload must be JSON.');
  }
}
