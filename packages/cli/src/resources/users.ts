import { readLine } from '../access/read-secret.ts';
import { command, group, JSON_OPTION, Option, type Run } from '../command-line/command.ts';
import type { Context } from '../context.ts';
import { printJson, printRecord } from '../output/listing.ts';
import { ago, money } from '../output/quantities.ts';
import { spendLimit } from './fields.ts';
import { findUser, listUsers } from './find-user.ts';
import { userAccess } from './user-access.ts';
import { deleteCommand, listCommand, showCommand } from './resource-commands.ts';

/** `create` or `update`, with the options of both. */
const changeCommand = (...definition: Parameters<typeof command>) =>
  command(...definition)
    .addOption(
      new Option('--role <role>', 'Role. Default: member').choices([
        'admin',
        'member',
        'auditor',
      ] as const),
    )
    .option('--password', 'Prompt for a password. Without a terminal, read it from stdin')
    .addOption(JSON_OPTION);

export const users = (run: Run) =>
  group('user', 'Manage users and their access', [
    command('me', 'Show your user and your spend of this month')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, { json }) => {
          const client = await context.client();
          const [me, spend] = [await client.call('getMe'), await client.call('getMySpend')];
          const shown = {
            ...me,
            spent: money(spend.spent_micros),
            limit: spend.limit_micros === null ? 'none' : money(spend.limit_micros),
          };
          printRecord(context, json === true ? { ...me, spend } : shown, json);
        }),
      ),
    listCommand(
      run,
      'List users',
      listUsers,
      ({ now }) => [
        { title: 'ID', value: ({ id }) => id },
        { title: 'NAME', value: ({ username }) => username, flexible: true },
        { title: 'ROLE', value: ({ role }) => role },
        { title: 'STATE', value: ({ suspended }) => (suspended ? 'suspended' : 'active') },
        { title: 'PASSWORD', value: ({ has_password }) => (has_password ? 'yes' : 'no') },
        { title: 'CREATED', value: ({ created_at }) => ago(created_at, now()) },
      ],
      'There are no users.',
    ),
    changeCommand('create', 'Add a user', {
      examples: [['chatd user create ada --password', 'Prompt for the password']],
    })
      .argument('<name>')
      .action(
        run(async (context, username, { role, password, json }) => {
          const client = await context.client();
          const user = await client.call('createUser', {
            body: {
              username,
              ...(role !== undefined && { role }),
              ...(password === true && { password: await askPassword(context) }),
            },
          });
          printRecord(context, user, json);
          if (password !== true) {
            context.log(`Create a sign-in link: chatd user link ${user.username}`);
          }
        }),
      ),
    showCommand(run, '<user>', 'Show a user', findUser),
    changeCommand('update', 'Change the role, password or spend limit of a user')
      .argument('<user>')
      .option('--spend-limit <amount>', 'Monthly limit, such as 12.50; none for the default limit')
      .action(
        run(async (context, word, { role, password, spendLimit: limit, json }) => {
          const client = await context.client();
          const { id } = await findUser(client, word);
          const user = await client.call('updateUser', {
            params: { user_id: id },
            body: {
              ...(role !== undefined && { role }),
              ...(password === true && { password: await askPassword(context) }),
              ...(limit !== undefined && { spend_limit_micros: spendLimit(limit) ?? null }),
            },
          });
          printRecord(context, user, json);
        }),
      ),
    command('link', 'Create a one-time sign-in link for a user')
      .argument('<user>')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { json }) => {
          const client = await context.client();
          const { id } = await findUser(client, word);
          const link = await client.call('createSignInLink', { params: { user_id: id } });
          if (json === true) printJson(context, link);
          else context.print(`${link.url}\n`);
          context.log(`Valid once, until ${link.expires_at}.`);
        }),
      ),
    ...userAccess(run),
    deleteCommand(
      run,
      '<user>',
      'Delete a user with all chats, files and tokens',
      findUser,
      {
        name: ({ username }) => username,
        question: (name) => `Delete ${name} with all chats, files and tokens?`,
      },
      (client, { id }) => client.call('deleteUser', { params: { user_id: id } }),
    ),
  ]);

const askPassword = (context: Context) => readLine(context, 'Password', { secret: true });
