import type { Chat, WatchEvent } from '@chatd/protocol';
import type { ChatRow } from '../chat/row.ts';
import { presentChat } from '../present/chat.ts';
import type { Change } from '../store/change.ts';
import { listFirstChats } from '../store/chat-reads.ts';
import type { Database } from '../store/database.ts';
import { chatsById } from '../store/queries/chats/find.ts';
import { newestVersions } from '../store/queries/chats/versions.ts';
import { EventFrame } from './event-frame.ts';
import type { Outlet } from './outlet.ts';
import type { StreamCounts } from './stats.ts';
import {
  firstSharedChats,
  type GuestRoles,
  guestView,
  rootOf,
  SharedChats,
} from './shared-chats.ts';
import { type Known, knownFrom, typesOf, type WatchType } from './watch-types.ts';

export interface WatchersOptions {
  readonly database: Database;
  readonly counts: StreamCounts;
  /** Changes that arrive within this time are read together. */
  readonly watchMs: number;
  readonly backlogBytes: number;
  readonly onError: (error: unknown) => void;
}

interface Watcher {
  readonly outlet: Outlet;
  /** Null: chats of all users. */
  readonly ownerId: string | null;
  /** The root chats of other users in the last snapshot, with the role of the watcher. */
  shared: GuestRoles;
  /** The snapshot has been sent. */
  following: boolean;
  /** What is shared with the user changed while the snapshot was read. */
  outdated: boolean;
  /** Changes that happened while the snapshot was read. */
  held: WatchUpdate[] | undefined;
}

interface WatchUpdate {
  readonly id: string;
  readonly version: number;
  readonly frame: EventFrame;
}

/** Chats in a snapshot: the first page of the list. At most as many subagents are added. */
const SNAPSHOT_CHATS = 200;
/** Chats of a user that a poll compares to find changes whose hint was lost. */
const COMPARED_CHATS = 20;
const KNOWN_CHATS = 20_000;
/** Every so many polls, what is shared with the watchers is compared, too. */
const SHARED_POLLS = 10;

/**
 * Clients that watch all chats of a user, and those that are shared with them. They get a snapshot, then changes; there is
 * no replay. When what is shared with a user changes, their watchers get a new snapshot.
 */
export class Watchers {
  readonly #options: WatchersOptions;
  readonly #watchers = new Set<Watcher>();
  readonly #owners = new Map<string | null, number>();
  /** The owners of chats that are shared with watchers. */
  readonly #hosts = new Map<string, number>();
  readonly #shared: SharedChats;
  readonly #known = new Map<string, Known>();
  /** Chats to read, with the command of the first hint. */
  #pending = new Map<string, Change['command'] | undefined>();
  #flushing: NodeJS.Timeout | undefined;
  #polls = 0;
  #closed = false;

  constructor(options: WatchersOptions) {
    this.#options = options;
    this.#shared = new SharedChats(options.database);
  }

  get size(): number {
    return this.#watchers.size;
  }

  open(outlet: Outlet, ownerId: string | null): void {
    const watcher: Watcher = {
      outlet,
      ownerId,
      shared: new Map(),
      following: false,
      outdated: false,
      held: undefined,
    };
    this.#watchers.add(watcher);
    count(this.#owners, ownerId, 1);
    outlet.onClosed(() => {
      this.#watchers.delete(watcher);
      this.#share(watcher, new Map());
      count(this.#owners, ownerId, -1);
      if (this.#watchers.size === 0) this.#known.clear();
    });
    this.#showAll(watcher);
  }

  changed({ id, owner_id, command }: Change): void {
    const isWatched = this.#owners.has(owner_id) || this.#owners.has(null);
    if (!isWatched && !this.#hosts.has(owner_id)) return;
    this.#lookAt(id, command);
  }

  /** The grants of a chat changed: watchers whose role in it changed get a new snapshot. */
  sharingChanged(chatId: string): void {
    this.#compareRoles(this.#users(), (users) => this.#shared.roles([chatId], users), chatId);
  }

  /** A user may have entered or left a group. */
  accountChanged(userId: string): void {
    if (!this.#owners.has(userId)) return;
    this.#compareRoles([userId], (users) => this.#shared.of(users, SNAPSHOT_CHATS));
  }

  /** A user has read a chat that is shared with them. */
  readBy(chatId: string, userId: string): void {
    if (!this.#owners.has(userId)) return;
    this.#tellReader(chatId, userId).catch(this.#options.onError);
  }

  /** Hints may have been lost, so every watcher gets a new snapshot. */
  resync(): void {
    for (const watcher of this.#watchers) if (watcher.following) this.#showAll(watcher);
  }

  /** Finds changes whose hint was lost. */
  async compare(): Promise<void> {
    const owners = [...this.#owners.keys()].filter((owner) => owner !== null);
    if (owners.length === 0) return;
    const rows = await this.#options.database.query(newestVersions, {
      owner_ids: owners,
      limit: COMPARED_CHATS,
    });
    for (const { id, snapshot_version } of rows) {
      if ((this.#known.get(id)?.version ?? 0) < snapshot_version) this.#lookAt(id, undefined);
    }
    this.#polls += 1;
    if (this.#polls % SHARED_POLLS === 0) {
      this.#compareRoles(this.#users(), (users) => this.#shared.of(users, SNAPSHOT_CHATS));
    }
  }

  ping(): void {
    const frame = frameOf({ type: 'ping' });
    for (const { outlet, following } of this.#watchers) if (following) outlet.write(frame);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#flushing);
  }

  #lookAt(id: string, command: Change['command'] | undefined): void {
    if (!this.#pending.has(id)) this.#pending.set(id, command);
    this.#flushing ??= setTimeout(() => {
      this.#flushing = undefined;
      this.#flush().catch((error: unknown) => {
        this.#options.onError(error);
        // The hints of these changes are used up.
        this.resync();
      });
    }, this.#options.watchMs);
  }

  async #flush(): Promise<void> {
    const pending = this.#pending;
    this.#pending = new Map();
    const rows = await this.#options.database.query(chatsById, { ids: [...pending.keys()] });
    if (this.#closed) return;
    const changes: { readonly row: ChatRow; readonly chat: Chat; readonly types: WatchType[] }[] =
      [];
    for (const row of rows) {
      const chat = presentChat(row);
      const now = knownFrom(chat, row.deleted_at !== null);
      const types = typesOf(this.#known.get(row.id), now, pending.get(row.id));
      this.#know(row.id, now);
      if (types.length > 0) changes.push({ row, chat, types });
      for (const type of types) this.#tell(row.owner_id, updateOf(row, type, chat));
    }
    await this.#tellGuests(changes);
  }

  /** The roles are read again, so that nothing is sent after the end of a grant, even if its message was lost. */
  async #tellGuests(
    changes: readonly { readonly row: ChatRow; readonly types: readonly WatchType[] }[],
  ): Promise<void> {
    const roots = new Set(changes.map(({ row }) => rootOf(row)));
    const guests = [...this.#watchers].filter(({ shared }) =>
      [...roots].some((root) => shared.has(root)),
    );
    if (guests.length === 0) return;
    const users = [...new Set(guests.map(({ ownerId }) => ownerId ?? ''))];
    const roles = await this.#shared.roles([...roots], users);
    if (this.#closed) return;
    for (const watcher of guests) {
      const now = roles.get(watcher.ownerId ?? '');
      for (const { row, types } of changes) {
        const root = rootOf(row);
        if (!watcher.shared.has(root)) continue;
        const role = now?.get(root);
        // Of a deleted chat there are no roles.
        const as = role ?? (row.deleted_at === null ? undefined : watcher.shared.get(root));
        if (as === undefined) {
          if (watcher.following) this.#showAll(watcher);
          break;
        }
        const chat = presentChat(row, guestView(row, as));
        for (const type of types) this.#send(watcher, updateOf(row, type, chat));
      }
    }
  }

  async #tellReader(chatId: string, userId: string): Promise<void> {
    const [row] = await this.#options.database.query(chatsById, { ids: [chatId] });
    const as = (await this.#shared.roles([chatId], [userId])).get(userId)?.get(chatId);
    if (row === undefined || as === undefined || this.#closed) return;
    const update = updateOf(row, 'changed', presentChat(row, as));
    for (const watcher of this.#watchers) {
      if (watcher.ownerId === userId && watcher.shared.has(chatId)) this.#send(watcher, update);
    }
  }

  /** The users whose chats are watched. */
  #users(): string[] {
    return [...this.#owners.keys()].filter((owner) => owner !== null);
  }

  /** Only the chat `chatId`, else all chats that are shared with the users. */
  #compareRoles(
    users: readonly string[],
    read: (users: readonly string[]) => Promise<ReadonlyMap<string, GuestRoles>>,
    chatId?: string,
  ): void {
    if (users.length === 0) return;
    const compare = async () => {
      const roles = await read(users);
      for (const watcher of this.#watchers) {
        if (watcher.ownerId === null || !users.includes(watcher.ownerId)) continue;
        const now = roles.get(watcher.ownerId) ?? new Map();
        const ids = chatId === undefined ? [...now.keys(), ...watcher.shared.keys()] : [chatId];
        const differs = ids.some((id) => now.get(id)?.role !== watcher.shared.get(id)?.role);
        if (!watcher.following) watcher.outdated = true;
        else if (differs) this.#showAll(watcher);
      }
    };
    compare().catch((error: unknown) => {
      this.#options.onError(error);
      this.resync();
    });
  }

  #share(watcher: Watcher, roles: GuestRoles): void {
    for (const { owner_id } of watcher.shared.values()) count(this.#hosts, owner_id, -1);
    for (const { owner_id } of roles.values()) count(this.#hosts, owner_id, 1);
    watcher.shared = roles;
  }

  #know(id: string, known: Known): void {
    this.#known.delete(id);
    this.#known.set(id, known);
    if (this.#known.size <= KNOWN_CHATS) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  #tell(ownerId: string, update: WatchUpdate): void {
    for (const watcher of this.#watchers) {
      if (watcher.ownerId === null || watcher.ownerId === ownerId) this.#send(watcher, update);
    }
  }

  #send(watcher: Watcher, update: WatchUpdate): void {
    if (watcher.following) this.#write(watcher, update.frame);
    else watcher.held?.push(update);
  }

  #write(watcher: Watcher, frame: EventFrame): void {
    const { counts, backlogBytes } = this.#options;
    counts.events += frame.events.length;
    watcher.outlet.write(frame);
    if (watcher.outlet.backlog <= backlogBytes || !watcher.following) return;
    counts.resyncs += 1;
    this.#showAll(watcher);
  }

  #showAll(watcher: Watcher): void {
    watcher.following = false;
    this.#snapshot(watcher).catch((error: unknown) => {
      this.#options.onError(error);
      watcher.outlet.close('failed');
    });
  }

  async #snapshot(watcher: Watcher): Promise<void> {
    const { outlet, ownerId } = watcher;
    if (outlet.backlog > this.#options.backlogBytes) await outlet.drained();
    const held: WatchUpdate[] = [];
    watcher.held = held;
    const { database } = this.#options;
    const [rows, shared] = await Promise.all([
      listFirstChats(database, ownerId, SNAPSHOT_CHATS),
      ownerId === null ? undefined : firstSharedChats(database, ownerId, SNAPSHOT_CHATS),
    ]);
    if (this.#closed || !this.#watchers.has(watcher)) return;
    if (shared !== undefined) this.#share(watcher, shared.roles);
    const own = rows.map((row) => presentChat(row));
    // Other watchers were sent an older state, which must stay known.
    const alone = [...this.#watchers].filter((each) => overlaps(each, watcher)).length === 1;
    if (alone) for (const chat of own) this.#know(chat.id, knownFrom(chat, false));
    for (const row of shared?.rows ?? []) {
      if (!this.#known.has(row.id)) this.#know(row.id, knownFrom(presentChat(row), false));
    }
    const chats = [...own, ...(shared?.chats ?? [])];
    watcher.held = undefined;
    watcher.following = true;
    if (watcher.outdated) {
      watcher.outdated = false;
      return this.#showAll(watcher);
    }
    this.#write(watcher, frameOf({ type: 'snapshot', chats }));
    const shown = new Map(chats.map((chat) => [chat.id, chat.snapshot_version]));
    for (const { id, version, frame } of held) {
      if ((shown.get(id) ?? 0) < version) this.#write(watcher, frame);
    }
  }
}

const overlaps = (a: Watcher, b: Watcher) =>
  a.ownerId === null || b.ownerId === null || a.ownerId === b.ownerId;

function count<Key>(counts: Map<Key, number>, key: Key, change: 1 | -1): void {
  const now = (counts.get(key) ?? 0) + change;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}

const updateOf = (row: ChatRow, type: WatchType, chat: Chat): WatchUpdate => ({
  id: row.id,
  version: row.snapshot_version,
  frame: frameOf({ type, chat }),
});

const frameOf = (event: WatchEvent): EventFrame =>
  new EventFrame([{ json: JSON.stringify(event) }]);
