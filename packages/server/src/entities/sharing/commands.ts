import type { ChatSharing, NewChatGrant, NewChatSharing } from '@chatd/protocol';
import { actsAsAdmin, type Caller } from '../../auth/caller.ts';
import { hashSecret, LINK_PREFIX, newSecret } from '../../auth/secret.ts';
import type { SharingChanges } from '../../auth/sharing-changes.ts';
import { Refused, refusedField } from '../../chat/refused.ts';
import type { ChatRow } from '../../chat/row.ts';
import { toJson } from '../../store/json.ts';
import { lockChat } from '../../store/queries/chats/lock.ts';
import {
  deleteGrants,
  findGranteeGroups,
  findGrantees,
  insertGrants,
} from '../../store/queries/sharing/grants.ts';
import { deleteLink, insertLink, keepLink } from '../../store/queries/sharing/links.ts';
import { loadSettings } from '../../store/settings.ts';
import type { Queryable } from '../../store/statement.ts';
import type { Transaction } from '../../store/transaction.ts';
import { readSharing } from './queries.ts';

/** Replaces the grants and the link of a root chat. `origin`: of the page that the link opens. */
export async function replaceSharing(
  changes: Pick<SharingChanges, 'publish'>,
  chat: ChatRow,
  { grants, link = null }: NewChatSharing,
  { caller, origin }: { readonly caller: Caller; readonly origin: string },
  tx: Transaction,
): Promise<ChatSharing> {
  requireRoot(chat);
  const chat_id = chat.id;
  const wanted = await grantees(tx, chat, grants, caller);
  // Two changes at once would add the same grant twice.
  await tx.query(lockChat, { id: chat_id });
  await tx.query(deleteGrants, { chat_id });
  if (wanted.length > 0) await tx.query(insertGrants, { chat_id, grants: toJson(wanted) });
  const secret = await changeLink(tx, chat_id, link);
  tx.afterCommit(() => changes.publish({ chat_id }));
  const sharing = await readSharing(tx, chat_id);
  if (secret === undefined || sharing.link === undefined) return sharing;
  return { ...sharing, link: { ...sharing.link, url: `${origin}/shared/${chat_id}#${secret}` } };
}

export function requireRoot({ root_chat_id }: ChatRow): void {
  if (root_chat_id === null) return;
  throw new Refused(
    'not_a_root_chat',
    'This is a subagent chat. It is shared with its root chat: change the sharing of that one.',
  );
}

interface Grantee {
  readonly user_id: string | null;
  readonly group_id: string | null;
  readonly role: NewChatGrant['role'];
}

/** By id. Refuses users and groups that do not exist, the owner, and two grants for the same. */
async function grantees(
  db: Queryable,
  { id: chat_id, owner_id }: ChatRow,
  grants: readonly NewChatGrant[],
  caller: Caller,
): Promise<Grantee[]> {
  const users = await db.query(findGrantees, {
    ids: grants.flatMap(({ user_id }) => user_id ?? []),
    usernames: grants.flatMap(({ username }) => username ?? []),
  });
  const groups = await db.query(findGranteeGroups, {
    ids: grants.flatMap(({ group_id }) => group_id ?? []),
    user_id: actsAsAdmin(caller) ? null : caller.user.id,
    chat_id,
  });
  const seen = new Set<string>();
  return grants.map((grant, index) => {
    const path = `grants.${index}`;
    const { user_id = null, username, group_id = null, role } = grant;
    const named = users.find(({ id, ...user }) => id === user_id || user.username === username);
    if (named === undefined && group_id === null && grant.everyone === undefined) {
      throw new Refused('unknown_user', `${path}: user ${username ?? user_id} does not exist.`);
    }
    if (group_id !== null && !groups.some(({ id }) => id === group_id)) {
      throw new Refused('unknown_group', `${path}: group ${group_id} does not exist.`);
    }
    if (named?.id === owner_id) throw refusedField(path, 'is the owner of the chat');
    const grantee = named?.id ?? group_id ?? 'everyone';
    if (seen.has(grantee)) throw refusedField(path, 'has the same grantee as an earlier grant');
    seen.add(grantee);
    return { user_id: named?.id ?? null, group_id, role };
  });
}

/** Returns the secret of a new link. */
async function changeLink(
  tx: Transaction,
  chat_id: string,
  link: NonNullable<NewChatSharing['link']> | null,
): Promise<string | undefined> {
  if (link === null) {
    await tx.query(deleteLink, { chat_id });
    return undefined;
  }
  if (!(await loadSettings(tx)).allow_chat_links) {
    throw new Refused(
      'links_disabled',
      'Links to chats are not allowed in this deployment. An admin can allow them with the setting allow_chat_links.',
    );
  }
  const expires_at = typeof link.expires_at === 'string' ? new Date(link.expires_at) : null;
  if (expires_at !== null && expires_at.getTime() <= Date.now()) {
    throw refusedField('link.expires_at', 'must be in the future');
  }
  if (link.renew !== true) {
    const [kept] = await tx.query(keepLink, { chat_id, expires_at });
    if (kept !== undefined) return undefined;
  }
  const secret = newSecret(LINK_PREFIX);
  await tx.query(deleteLink, { chat_id });
  await tx.query(insertLink, { chat_id, secret_hash: hashSecret(secret), expires_at });
  return secret;
}
