import { confirm, readLine } from '../access/read-secret.ts';
import { usageError } from '../command-failed.ts';
import { action, group } from '../command-line/command.ts';
import { EXIT } from '../exit-codes.ts';
import { JSON_OPTION, printJson, printList, printRecord } from '../output/listing.ts';
import { ago, money } from '../output/quantities.ts';
import { findUser, listUsers } from './find-user.ts';
import { userAccess } from './user-access.ts';

const ROLES = ['admin', 'member'] as const;
const PASSWORD = {
  type: 'boolean',
  help: 'Ask for a password; it is read from stdin where that is no terminal',
} as const;

export const users = group({
  name: 'user',
  summary: 'Users: list, create, change, suspend, delete, sign-in links, tokens',
  commands: [
    action({
      name: 'me',
      summary: 'Who you are, and what you have spent this month',
      options: JSON_OPTION,
      async run({ values, context }) {
        const client = await context.client();
        const [me, spend] = [await client.call('getMe'), await client.call('getMySpend')];
        const shown = {
          ...me,
          spent: money(spend.spent_micros),
          limit: spend.limit_micros === null ? 'none' : money(spend.limit_micros),
        };
        printRecord(context, values.json === true ? { ...me, spend } : shown, values.json);
        return EXIT.ok;
      },
    }),
    action({
      name: 'list',
      summary: 'All users',
      options: JSON_OPTION,
      async run({ values, context }) {
        printList(
          context,
          await listUsers(await context.client()),
          [
            { title: 'ID', value: ({ id }) => id },
            { title: 'NAME', value: ({ username }) => username, flexible: true },
            { title: 'ROLE', value: ({ role }) => role },
            { title: 'STATE', value: ({ suspended }) => (suspended ? 'suspended' : 'active') },
            { title: 'PASSWORD', value: ({ has_password }) => (has_password ? 'yes' : 'no') },
            { title: 'SINCE', value: ({ created_at }) => ago(created_at, context.now()) },
          ],
          { json: values.json, none: 'There are no users.' },
        );
        return EXIT.ok;
      },
    }),
    action({
      name: 'create',
      summary: 'Add a user',
      positionals: [{ name: 'NAME' }],
      options: {
        role: { type: 'string', choices: ROLES, help: 'member unless told' },
        password: PASSWORD,
        ...JSON_OPTION,
      },
      examples: [['chatd user create ada --password', 'asks for the password of ada']],
      async run({ values, positionals: [username = ''], context }) {
        const password = values.password === true ? await askPassword(context) : undefined;
        const client = await context.client();
        const user = await client.call('createUser', {
          body: {
            username,
            ...(values.role !== undefined && { role: values.role as (typeof ROLES)[number] }),
            ...(password !== undefined && { password }),
          },
        });
        printRecord(context, user, values.json);
        if (password === undefined) {
          context.say(`Let them in with a link: chatd user link ${user.username}`);
        }
        return EXIT.ok;
      },
    }),
    action({
      name: 'update',
      summary: 'Change the role, the password or the spend limit of a user',
      positionals: [{ name: 'USER' }],
      options: {
        role: { type: 'string', choices: ROLES, help: 'What they may do' },
        password: PASSWORD,
        'spend-limit': {
          type: 'string',
          value: 'AMOUNT',
          help: 'Per month, as 12.50; none: no own',
        },
        ...JSON_OPTION,
      },
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id } = await findUser(client, word);
        const limit = values['spend-limit'];
        const user = await client.call('updateUser', {
          params: { user_id: id },
          body: {
            ...(values.role !== undefined && { role: values.role as (typeof ROLES)[number] }),
            ...(values.password === true && { password: await askPassword(context) }),
            ...(limit !== undefined && { spend_limit_micros: microsOf(limit) }),
          },
        });
        printRecord(context, user, values.json);
        return EXIT.ok;
      },
    }),
    action({
      name: 'link',
      summary: 'Make a link that signs a user in, once',
      positionals: [{ name: 'USER' }],
      options: JSON_OPTION,
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id } = await findUser(client, word);
        const link = await client.call('createSignInLink', { params: { user_id: id } });
        if (values.json === true) printJson(context, link);
        else context.print(`${link.url}\n`);
        context.say(`Valid once, until ${link.expires_at}.`);
        return EXIT.ok;
      },
    }),
    ...userAccess,
    action({
      name: 'delete',
      summary: 'Delete a user with all chats, files and tokens',
      positionals: [{ name: 'USER' }],
      options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const user = await findUser(client, word);
        if (values.yes !== true) {
          await confirm(context, `Delete ${user.username} with all chats, files and tokens?`);
        }
        await client.call('deleteUser', { params: { user_id: user.id } });
        context.say(`Deleted ${user.username}.`);
        return EXIT.ok;
      },
    }),
  ],
});

const askPassword = (context: Parameters<typeof readLine>[0]) =>
  readLine(context, 'Password', { secret: true });

function microsOf(text: string): number | null {
  if (text === 'none') return null;
  const amount = Number(text);
  if (!Number.isFinite(amount) || amount < 0) {
    throw usageError(`--spend-limit must be an amount such as 12.50, or none.`);
  }
  return Math.round(amount * 1_000_000);
}
