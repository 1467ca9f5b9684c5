import type { Chat } from '@chatd/protocol';
import type { ChatRow } from '../chat/row.ts';
import { type GuestView, presentChat } from '../present/chat.ts';
import { ANY_CHAT, listSharedChats } from '../store/chat-reads.ts';
import { agentsOfRoots } from '../store/queries/chats/list.ts';
import { sharedWithUsers } from '../store/queries/sharing/lists.ts';
import { rolesInChats } from '../store/queries/sharing/roles.ts';
import type { Queryable } from '../store/statement.ts';

/** The role of a user in a chat of another user. */
export interface GuestRole extends GuestView {
  readonly owner_id: string;
}

/** By root chat. */
export type GuestRoles = ReadonlyMap<string, GuestRole>;

export const rootOf = ({ id, root_chat_id }: Pick<ChatRow, 'id' | 'root_chat_id'>): string =>
  root_chat_id ?? id;

/** Guests have no read marks in subagents. */
export const guestView = (row: ChatRow, as: GuestView): GuestView =>
  row.root_chat_id === null ? as : { ...as, read_version: row.reply_version };

interface FirstSharedChats {
  readonly rows: readonly ChatRow[];
  /** As the user sees them. */
  readonly chats: readonly Chat[];
  readonly roles: GuestRoles;
}

/** The first chats of other users that are shared with a user, and then their subagents with the newest activity. */
export async function firstSharedChats(
  db: Queryable,
  userId: string,
  limit: number,
): Promise<FirstSharedChats> {
  const page = { userId, archived: false, after: null, limit };
  const rows = await listSharedChats(db, { ...ANY_CHAT, ...page });
  const roles = new Map(rows.map((row): [string, GuestRole] => [row.id, row]));
  const agents =
    rows.length === 0
      ? []
      : await db.query(agentsOfRoots, { root_chat_ids: [...roles.keys()], limit });
  const all = [...rows, ...agents];
  const chats = all.flatMap((row) => {
    const as = roles.get(rootOf(row));
    return as === undefined ? [] : [presentChat(row, guestView(row, as))];
  });
  return { rows: all, chats, roles };
}

/** The roles of users in chats of others, by user. */
export class SharedChats {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** In these root chats. */
  async roles(
    chatIds: readonly string[],
    users: readonly string[],
  ): Promise<ReadonlyMap<string, GuestRoles>> {
    const pairs = chatIds.flatMap((chat) => users.map((user) => ({ chat, user })));
    return byUser(
      await this.#db.query(rolesInChats, {
        chat_ids: pairs.map(({ chat }) => chat),
        user_ids: pairs.map(({ user }) => user),
      }),
    );
  }

  /** In the chats that a snapshot shows. */
  async of(users: readonly string[], limit: number): Promise<ReadonlyMap<string, GuestRoles>> {
    return byUser(await this.#db.query(sharedWithUsers, { user_ids: users, limit }));
  }
}

function byUser(
  rows: readonly (GuestRole & { readonly id: string; readonly user_id: string })[],
): ReadonlyMap<string, GuestRoles> {
  const users = new Map<string, Map<string, GuestRole>>();
  for (const row of rows) {
    const roles = users.get(row.user_id) ?? new Map<string, GuestRole>();
    users.set(row.user_id, roles.set(row.id, row));
  }
  return users;
}
