import type { CallAnswer, Client } from '@chatd/client';
import { command, group, JSON_OPTION, type Run } from '../command-line/command.ts';
import { printList } from '../output/listing.ts';
import { timeOf } from './fields.ts';
import { findUser } from './find-user.ts';

const filtered = (...definition: Parameters<typeof command>) =>
  command(...definition)
    .option('--user <user>', 'Only actions of this user')
    .option('--action <action>', 'Only this action, or with a final dot all actions on a kind')
    .option('--target <id>', 'Only actions on this target')
    .option('--since <time>', 'First day or time')
    .option('--until <time>', 'End day or time, exclusive');

interface Filters {
  readonly user?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export const audit = (run: Run) =>
  group('audit', 'Read the audit log', [
    filtered('list', 'List audit events, newest first', {
      examples: [
        ['chatd audit list --action user.', 'Changes of users, and sign-ins'],
        ['chatd audit list --user ada --since 2026-11-01', 'Actions of a user since a day'],
      ],
    })
      .option('--limit <number>', 'Max number of events. Default: 50', Number)
      .addOption(JSON_OPTION)
      .action(
        run(async (context, { limit = 50, json, ...filters }) => {
          const client = await context.client();
          const query = await queryOf(client, filters);
          const events: CallAnswer<'listAuditEvents'>['audit_events'][number][] = [];
          for await (const event of client.auditEvents.each(query)) {
            if (events.push(event) >= limit) break;
          }
          printList(
            context,
            events,
            [
              { title: 'TIME', value: ({ at }) => at },
              { title: 'ACTOR', value: (event) => event.actor_name ?? event.actor_kind },
              { title: 'ADDRESS', value: ({ ip }) => ip ?? '' },
              { title: 'ACTION', value: ({ action }) => action },
              { title: 'TARGET', value: ({ target_id: id }) => id ?? '' },
              { title: 'DETAIL', value: ({ detail }) => detailOf(detail), flexible: true },
            ],
            { json, none: 'No events.' },
          );
        }),
      ),
    filtered('export', 'Print audit events as JSON Lines, oldest first', {
      examples: [
        ['chatd audit export --since 2026-11-01 --until 2026-12-01 > november.jsonl', 'A month'],
      ],
    }).action(
      run(async (context, filters) => {
        const client = await context.client();
        const file = await client.auditEvents.export(await queryOf(client, filters));
        context.print(await file.text());
      }),
    ),
  ]);

async function queryOf(client: Client, { user, action, target, since, until }: Filters) {
  return {
    actor_id: user === undefined ? undefined : (await findUser(client, user)).id,
    action,
    target_id: target,
    since: timeOf(since),
    until: timeOf(until),
  };
}

const detailOf = (detail: object): string =>
  Object.entries(detail)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
