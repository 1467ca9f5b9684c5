import type { CallAnswer, Client } from '@chatd/client';
import { collect, command, group, JSON_OPTION, Option, type Run } from '../command-line/command.ts';
import { printList, printRecord } from '../output/listing.ts';
import { money } from '../output/quantities.ts';
import { toArray } from '../output/to-array.ts';
import { bodyFor, spendLimit } from './fields.ts';
import { listUsers } from './find-user.ts';
import { pick } from './pick.ts';
import { deleteCommand, listCommand, showCommand } from './resource-commands.ts';

type Group = CallAnswer<'getGroup'>;

export async function listGroups(client: Client): Promise<Group[]> {
  return (await client.call('listGroups')).groups;
}

const findGroup = async (client: Client, word: string): Promise<Group> =>
  named(await listGroups(client), word);

const named = (groups: readonly Group[], word: string): Group =>
  pick(groups, word, 'group', ({ name }) => [name]);

/** For objects that can be restricted to groups. */
export const GROUP_OPTIONS = [
  new Option('--group <group>', 'Restrict it to members of this group. Repeatable').argParser(
    collect,
  ),
  new Option('--all-users', 'Remove the restriction to groups'),
] as const;

/** The field `group_ids` for these options. */
export async function groupIdsBy(
  client: Client,
  options: {
    readonly group?: readonly string[] | undefined;
    readonly allUsers?: boolean | undefined;
  },
): Promise<{ readonly group_ids?: string[] | null }> {
  if (options.allUsers === true) return { group_ids: null };
  if (options.group === undefined) return {};
  const groups = await listGroups(client);
  return { group_ids: options.group.map((word) => named(groups, word).id) };
}

const SPEND_LIMIT = [
  '--spend-limit <amount>',
  'Monthly limit of all members together, such as 500; none for no limit',
] as const;

/** `add` or `remove`. */
const memberCommand = (run: Run, name: 'add' | 'remove', summary: string) =>
  command(name, summary)
    .argument('<group>')
    .argument('<user...>')
    .addOption(JSON_OPTION)
    .action(
      run(async (context, word, users, { json }) => {
        const client = await context.client();
        const { id } = await findGroup(client, word);
        const all = await listUsers(client);
        const ids = users.map((user) => pick(all, user, 'user', (one) => [one.username]).id);
        const changed = await client.call('updateGroupMembers', {
          params: { group_id: id },
          body: { [name]: ids },
        });
        printRecord(context, changed, json);
      }),
    );

export const groups = (run: Run) =>
  group('groups', 'Manage groups of users', [
    listCommand(
      run,
      'List groups; without admin rights, those you belong to',
      listGroups,
      () => [
        { title: 'ID', value: ({ id }) => id },
        { title: 'NAME', value: ({ name }) => name, flexible: true },
        { title: 'MEMBERS', align: 'right', value: ({ members }) => String(members ?? '') },
        {
          title: 'LIMIT',
          align: 'right',
          value: ({ spend_limit_micros: limit }) => (typeof limit === 'number' ? money(limit) : ''),
        },
        { title: '', value: ({ mirrored }) => (mirrored === true ? 'mirrored' : '') },
      ],
      'There are no groups. Create one: chatd groups create NAME',
    ),
    command('create', 'Create a group', {
      examples: [['chatd groups create Research --spend-limit 500', 'With a monthly limit']],
    })
      .argument('<name>')
      .option(...SPEND_LIMIT)
      .option('--mirrored', 'Members follow the groups claim of the identity provider')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, name, { spendLimit: limit, mirrored, json }) => {
          const client = await context.client();
          const created = await client.call('createGroup', {
            body: bodyFor('createGroup', {
              name,
              mirrored,
              spend_limit_micros: spendLimit(limit),
            }),
          });
          printRecord(context, created, json);
        }),
      ),
    showCommand(run, '<group>', 'Show a group', findGroup),
    command('update', 'Change the name or spend limit of a group')
      .argument('<group>')
      .option('--name <name>', 'Name')
      .option(...SPEND_LIMIT)
      .option('--mirrored', 'Members follow the groups claim of the identity provider')
      .option('--no-mirrored', 'Admins manage the members')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { name, spendLimit: limit, mirrored, json }) => {
          const client = await context.client();
          const { id } = await findGroup(client, word);
          const changed = await client.call('updateGroup', {
            params: { group_id: id },
            body: bodyFor('updateGroup', { name, mirrored, spend_limit_micros: spendLimit(limit) }),
          });
          printRecord(context, changed, json);
        }),
      ),
    command('members', 'List the members of a group')
      .argument('<group>')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { json }) => {
          const client = await context.client();
          const { id } = await findGroup(client, word);
          const members = await toArray(
            client.iterate('listGroupMembers', { params: { group_id: id }, query: { limit: 200 } }),
          );
          printList(
            context,
            members,
            [
              { title: 'ID', value: (one) => one.id },
              { title: 'NAME', value: ({ username }) => username, flexible: true },
            ],
            { json, none: 'The group has no members.' },
          );
        }),
      ),
    memberCommand(run, 'add', 'Add users to a group'),
    memberCommand(run, 'remove', 'Remove users from a group'),
    deleteCommand(
      run,
      '<group>',
      'Delete a group; its members are kept',
      findGroup,
      {
        name: ({ name }) => name,
        question: (name) =>
          `Delete the group ${name}? Models and MCP servers that only this group can use are then only for admins.`,
      },
      (client, { id }) => client.call('deleteGroup', { params: { group_id: id } }),
    ),
  ]);
