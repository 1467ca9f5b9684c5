import type { WatchEvent } from '@chatd/protocol';
import { presentChat } from '../present/chat.ts';
import type { Change } from '../store/change.ts';
import { listFirstChats } from '../store/chat-reads.ts';
import type { Database } from '../store/database.ts';
import { chatsById } from '../store/queries/chats/find.ts';
import { newestVersions } from '../store/queries/chats/versions.ts';
import { EventFrame } from './event-frame.ts';
import type { Outlet } from './outlet.ts';
import type { StreamCounts } from './stats.ts';
import { type Known, knownFrom, typesOf } from './watch-types.ts';

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
  /** The snapshot has been sent. */
  following: boolean;
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

/** Clients that watch all chats of a user. They get a snapshot, then changes; there is no replay. */
export class Watchers {
  readonly #options: WatchersOptions;
  readonly #watchers = new Set<Watcher>();
  readonly #owners = new Map<string | null, number>();
  readonly #known = new Map<string, Known>();
  /** Chats to read, with the command of the first hint. */
  #pending = new Map<string, Change['command'] | undefined>();
  #flushing: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: WatchersOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#watchers.size;
  }

  open(outlet: Outlet, ownerId: string | null): void {
    const watcher: Watcher = { outlet, ownerId, following: false, held: undefined };
    this.#watchers.add(watcher);
    this.#owners.set(ownerId, (this.#owners.get(ownerId) ?? 0) + 1);
    outlet.onClosed(() => {
      this.#watchers.delete(watcher);
      const left = (this.#owners.get(ownerId) ?? 1) - 1;
      if (left === 0) this.#owners.delete(ownerId);
      else this.#owners.set(ownerId, left);
      if (this.#watchers.size === 0) this.#known.clear();
    });
    this.#showAll(watcher);
  }

  changed({ id, owner_id, command }: Change): void {
    if (!this.#owners.has(owner_id) && !this.#owners.has(null)) return;
    this.#lookAt(id, command);
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
    for (const row of rows) {
      const chat = presentChat(row);
      const now = knownFrom(chat, row.deleted_at !== null);
      const types = typesOf(this.#known.get(row.id), now, pending.get(row.id));
      this.#know(row.id, now);
      for (const type of types) {
        const update = {
          id: row.id,
          version: row.snapshot_version,
          frame: frameOf({ type, chat }),
        };
        this.#tell(row.owner_id, update);
      }
    }
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
      if (watcher.ownerId !== null && watcher.ownerId !== ownerId) continue;
      if (watcher.following) this.#write(watcher, update.frame);
      else watcher.held?.push(update);
    }
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
    const rows = await listFirstChats(this.#options.database, ownerId, SNAPSHOT_CHATS);
    if (this.#closed || !this.#watchers.has(watcher)) return;
    const chats = rows.map(presentChat);
    // Other watchers were sent an older state, which must stay known.
    const alone = [...this.#watchers].filter((each) => overlaps(each, watcher)).length === 1;
    if (alone) for (const chat of chats) this.#know(chat.id, knownFrom(chat, false));
    watcher.held = undefined;
    watcher.following = true;
    this.#write(watcher, frameOf({ type: 'snapshot', chats }));
    const shown = new Map(chats.map((chat) => [chat.id, chat.snapshot_version]));
    for (const { id, version, frame } of held) {
      if ((shown.get(id) ?? 0) < version) this.#write(watcher, frame);
    }
  }
}

const overlaps = (a: Watcher, b: Watcher) =>
  a.ownerId === null || b.ownerId === null || a.ownerId === b.ownerId;

const frameOf = (event: WatchEvent): EventFrame =>
  new EventFrame([{ json: JSON.stringify(event) }]);
