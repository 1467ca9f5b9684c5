import type { ChatRole } from '@chatd/protocol';
import type { Caller } from '../auth/caller.ts';
import { limitReached } from '../chat/refused.ts';
import type { Database } from '../store/database.ts';
import { validHolders } from '../store/queries/sessions.ts';
import { validLinks } from '../store/queries/sharing/links.ts';
import {
  rolesInChats,
  rolesInWorkspaces,
  type VisibleChat,
} from '../store/queries/sharing/roles.ts';
import type { Subscriber } from './outlet.ts';

/** What a user who does not own it has access to, and the role that the stream needs. */
export interface Guest {
  readonly kind: 'chat' | 'workspace';
  /** Of a chat: the id of its root chat. */
  readonly id: string;
  readonly needs: ChatRole;
}

/** The token, session or link that a stream is opened with. */
export interface Holder {
  readonly kind: 'token' | 'session' | 'link';
  /** The id of a token, or the secret hash of a session or link. */
  readonly key: string;
  /** Of a link: the id of the chat. */
  readonly userId: string;
  readonly username: string;
  /** The stream shows data of all users. */
  readonly needsAdmin: boolean;
  /** The stream shows something that is shared with the user. Undefined: their own, or by a link. */
  readonly guest: Guest | undefined;
}

interface HolderOptions {
  readonly needsAdmin?: boolean;
  readonly guest?: Guest | undefined;
}

export function holderOf(
  { user, tokenId, session, link }: Caller,
  { needsAdmin = false, guest }: HolderOptions = {},
): Holder {
  const base = { userId: user.id, username: user.username, needsAdmin };
  if (link !== undefined) {
    return { ...base, kind: 'link', key: link.secretHash.toString('hex'), guest: undefined };
  }
  if (tokenId !== null) return { ...base, kind: 'token', key: tokenId, guest };
  return { ...base, kind: 'session', key: session?.toString('hex') ?? '', guest };
}

/** Undefined: the caller owns the chat. */
export const guestOf = (
  { id, root_chat_id, role }: VisibleChat,
  needs: ChatRole = 'viewer',
): Guest | undefined =>
  role === 'owner' ? undefined : { kind: 'chat', id: root_chat_id ?? id, needs };

const RETRY_AFTER_SECONDS = 5;

const tooManyStreams = (whose: string, limit: number) =>
  limitReached(
    `${whose} has ${limit} open streams, which is the limit. Close some of them and try again.`,
    RETRY_AFTER_SECONDS,
  );

export interface StreamLimits {
  readonly perHolder: number;
  /** Null: no limit. */
  readonly perUser: () => Promise<number | null>;
}

/** Counts the streams of each user, token and session, and closes them when access is revoked. */
export class Holders {
  readonly #limits: StreamLimits;
  readonly #counts = new Map<string, number>();
  readonly #subscribers = new Map<Subscriber, Holder>();

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /** Throws `Refused`: too many streams. */
  async enter({ key, userId }: Holder): Promise<() => void> {
    const perUser = (await this.#limits.perUser()) ?? Number.POSITIVE_INFINITY;
    const { perHolder } = this.#limits;
    const user = `user ${userId}`;
    if (this.#count(key) >= perHolder) throw tooManyStreams('This token or session', perHolder);
    if (this.#count(user) >= perUser) throw tooManyStreams('This user', perUser);
    this.#add(key, 1);
    this.#add(user, 1);
    return () => {
      this.#add(key, -1);
      this.#add(user, -1);
    };
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #add(key: string, change: number): void {
    const count = this.#count(key) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }

  opened(subscriber: Subscriber, holder: Holder): void {
    this.#subscribers.set(subscriber, holder);
    subscriber.onClosed(() => this.#subscribers.delete(subscriber));
  }

  /** Closes the streams of revoked or expired tokens and links, of deleted users, and of users whose role has ended. */
  async closeRevoked(database: Database): Promise<void> {
    const asked = new Map(this.#subscribers);
    if (asked.size === 0) return;
    const holders = [...asked.values()];
    const [roles, links, guests] = await Promise.all([
      rolesOfUsers(database, holders),
      linksOf(database, holders),
      guestRoles(database, holders),
    ]);
    for (const [subscriber, { kind, key, needsAdmin, userId, guest }] of asked) {
      if (!this.#subscribers.has(subscriber)) continue;
      const role = roles.get(key);
      const isValid = kind === 'link' ? links.has(key) : role !== undefined;
      const mayWatch = !needsAdmin || role === 'admin';
      if (!isValid || !mayWatch || !allows(guests, userId, guest)) subscriber.close('revoked');
    }
  }
}

const keysOf = (holders: readonly Holder[], kind: Holder['kind']): string[] => [
  ...new Set(holders.filter((holder) => holder.kind === kind).map(({ key }) => key)),
];

const hashes = (keys: readonly string[]) => keys.map((key) => Buffer.from(key, 'hex'));

/** By the key of a valid token or session. */
async function rolesOfUsers(database: Database, holders: readonly Holder[]) {
  const [tokens, sessions] = [keysOf(holders, 'token'), keysOf(holders, 'session')];
  if (tokens.length + sessions.length === 0) return new Map<string, string>();
  const rows = await database.query(validHolders, {
    token_ids: tokens,
    secret_hashes: hashes(sessions),
  });
  return new Map(rows.map(({ key, role }) => [key, role]));
}

async function linksOf(database: Database, holders: readonly Holder[]): Promise<Set<string>> {
  const links = keysOf(holders, 'link');
  if (links.length === 0) return new Set();
  const rows = await database.query(validLinks, { secret_hashes: hashes(links) });
  return new Set(rows.map(({ key }) => key));
}

type GuestRoles = ReadonlyMap<string, ChatRole>;

/** The current roles of guests in what their streams show. */
async function guestRoles(database: Database, holders: readonly Holder[]): Promise<GuestRoles> {
  const pairs = (kind: Guest['kind']) => {
    const some = holders.filter(({ guest }) => guest?.kind === kind);
    return {
      ids: some.map(({ guest }) => guest?.id ?? ''),
      user_ids: some.map(({ userId }) => userId),
    };
  };
  const [chats, workspaces] = [pairs('chat'), pairs('workspace')];
  const rows = await Promise.all([
    chats.ids.length === 0
      ? []
      : database.query(rolesInChats, { chat_ids: chats.ids, user_ids: chats.user_ids }),
    workspaces.ids.length === 0
      ? []
      : database.query(rolesInWorkspaces, {
          workspace_ids: workspaces.ids,
          user_ids: workspaces.user_ids,
        }),
  ]);
  return new Map(rows.flat().map(({ id, user_id, role }) => [`${id} ${user_id}`, role]));
}

function allows(roles: GuestRoles, userId: string, guest: Guest | undefined): boolean {
  if (guest === undefined) return true;
  const role = roles.get(`${guest.id} ${userId}`);
  return role === 'editor' || (role === 'viewer' && guest.needs === 'viewer');
}
