import type { BodyOf, CallAnswer, Client } from '@chatd/client';
import { confirm } from '../access/read-secret.ts';
import {
  collect,
  command,
  JSON_OPTION,
  Option,
  type Run,
  YES_OPTION,
} from '../command-line/command.ts';
import { usageError } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { printJson, printList } from '../output/listing.ts';
import { oneLine } from '../output/terminal-text.ts';
import { pick } from '../resources/pick.ts';
import { expiryAfter } from '../resources/tokens.ts';
import { findChat } from './find-chat.ts';

type Sharing = CallAnswer<'getChatSharing'>;
type NewSharing = BodyOf<'replaceChatSharing'>;
type Grant = Sharing['grants'][number];
type Grantee = Pick<NewSharing['grants'][number], 'username' | 'group_id' | 'everyone'>;

export const share = (run: Run) =>
  command('share', 'Share a chat with users, groups, everyone, or by a link', {
    examples: [
      ['chatd share 019f2c10', 'Show who can access the chat'],
      ['chatd share 019f2c10 --with ada --role editor', 'Let ada write in it'],
      ['chatd share 019f2c10 --link --days 7', 'Create a read-only link'],
      ['chatd share 019f2c10 --with ada --revoke', 'End the access of ada'],
      ['chatd share 019f2c10 --revoke', 'End all access, including the link'],
    ],
  })
    .argument('<chat>')
    .option('--with <user>', 'Share with a user, by name. Repeatable', collect)
    .option('--group <group>', 'Share with a group, by name or ID. Repeatable', collect)
    .option('--everyone', 'Share with all users of the deployment')
    .addOption(
      new Option('--role <role>', 'Role of the users and groups. Default: viewer').choices([
        'viewer',
        'editor',
      ] as const),
    )
    .option('--link', 'Create a read-only link for people without an account')
    .option('--days <n>', 'Days until the link expires. Default: never')
    .option('--renew', 'Replace the existing link, which stops working')
    .option('--revoke', 'End the access of the named users and groups, or all access')
    .addOption(YES_OPTION)
    .addOption(JSON_OPTION)
    .action(
      run(async (context, word, options) => {
        const client = await context.client();
        const { id, title } = await findChat(client, word);
        const { days, renew = false, revoke = false, role, yes, json } = options;
        const isLink = options.link === true || renew;
        if (days !== undefined && !isLink) throw usageError('--days requires --link.');
        const grantees = await granteesOf(client, options);
        const before = await client.chats.sharing(id);
        if (grantees.length === 0 && !isLink && !revoke) {
          if (role !== undefined)
            throw usageError('--role requires --with, --group or --everyone.');
          return printSharing(context, before, json);
        }
        if (revoke && grantees.length === 0 && !isLink && yes !== true) {
          await confirm(context, `End all access to ${oneLine(title)}?`);
        }
        const expiry = days === undefined ? {} : { expires_at: expiryAfter(days, context.now()) };
        const change = revoke
          ? revoked(before, grantees, isLink)
          : {
              grants: [
                ...others(before, grantees),
                ...grantees.map((grantee) => ({ ...grantee, role: role ?? ('viewer' as const) })),
              ],
              link: isLink ? { ...linkOf(before), ...expiry, renew } : linkOf(before),
            };
        const after = await client.chats.share(id, change);
        printSharing(context, after, json);
      }),
    );

async function granteesOf(
  client: Client,
  options: {
    readonly with?: readonly string[] | undefined;
    readonly group?: readonly string[] | undefined;
    readonly everyone?: boolean | undefined;
  },
): Promise<Grantee[]> {
  const { with: users = [], group: groups = [], everyone = false } = options;
  const known = groups.length === 0 ? [] : (await client.call('listGroups')).groups;
  return [
    ...users.map((username) => ({ username })),
    ...groups.map((word) => ({ group_id: pick(known, word, 'group', ({ name }) => [name]).id })),
    ...(everyone ? [{ everyone: true as const }] : []),
  ];
}

/** All grants, or the named ones, and the link. */
function revoked(before: Sharing, grantees: readonly Grantee[], isLink: boolean): NewSharing {
  const isAll = grantees.length === 0 && !isLink;
  return {
    grants: isAll ? [] : others(before, grantees),
    link: isAll || isLink ? null : linkOf(before),
  };
}

/** The grants that are not for these grantees, as the API takes them. */
const others = ({ grants }: Sharing, grantees: readonly Grantee[]): NewSharing['grants'] =>
  grants
    .filter((grant) => !grantees.some((grantee) => isFor(grant, grantee)))
    .map(({ user_id, group_id, role }) => {
      if (user_id !== undefined) return { user_id, role };
      return group_id === undefined ? { everyone: true, role } : { group_id, role };
    });

function isFor(grant: Grant, { username, group_id }: Grantee): boolean {
  if (username !== undefined) return grant.username?.toLowerCase() === username.toLowerCase();
  return group_id === undefined ? grant.everyone === true : grant.group_id === group_id;
}

/** Keeps the link as it is. */
const linkOf = ({ link }: Sharing): NewSharing['link'] =>
  link === undefined ? null : { expires_at: link.expires_at ?? null };

function printSharing(context: Context, sharing: Sharing, json: boolean | undefined): void {
  if (json === true) return printJson(context, sharing);
  const { grants, link } = sharing;
  printList(
    context,
    grants,
    [
      { title: 'SHARED WITH', value: nameOf },
      { title: 'ROLE', value: ({ role }) => role },
    ],
    { json, none: 'Only you can access this chat.' },
  );
  if (link === undefined) return;
  const expiry = link.expires_at === undefined ? 'does not expire' : `expires ${link.expires_at}`;
  if (link.url !== undefined) context.print(`${link.url}\n`);
  context.log(`A link shows the chat without an account. It ${expiry}.`);
}

const nameOf = ({ username, group_id, group_name = '' }: Grant): string =>
  username ?? (group_id === undefined ? 'everyone' : `group ${group_name}`);
