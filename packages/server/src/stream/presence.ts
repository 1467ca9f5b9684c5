import type { Json, Participant } from '@chatd/protocol';
import type { Bus, Subscription } from '../bus/bus.ts';
import type { Holder } from './holders.ts';

const SUBJECT = 'viewers';

/** Who follows a chat. */
export interface ChatViewers {
  readonly viewers: readonly Participant[];
  /** Streams by the link of the chat. */
  readonly link_viewers: number;
}

/** Everyone who follows a chat at one replica. Without anyone: the last one has left. */
interface Announcement extends ChatViewers {
  readonly replica_id: string;
  readonly chat_id: string;
}

interface LocalViewers {
  readonly users: Map<string, { readonly username: string; streams: number }>;
  links: number;
  /** Streams of users who do not own the chat, and of its link. */
  guests: number;
}

interface RemoteViewers extends ChatViewers {
  /** By the clock of this process. */
  readonly until: number;
}

export interface PresenceOptions {
  readonly bus: Bus;
  readonly replicaId: string;
  /** Interval of announcements. */
  readonly presentMs: number;
  /** An announcement counts for this long, so the viewers of a killed replica disappear. */
  readonly absentMs: number;
  readonly onChange: (chatId: string) => void;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/**
 * Who follows each chat, on all replicas. Replicas announce their viewers over the bus, and nothing is stored. A chat that
 * only its owner follows is not announced, so chats that are not shared cost nothing.
 */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #now: () => number;
  readonly #local = new Map<string, LocalViewers>();
  /** By chat, then by replica. */
  readonly #remote = new Map<string, Map<string, RemoteViewers>>();
  readonly #announced = new Set<string>();
  #subscription: Subscription | undefined;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  async start(): Promise<void> {
    this.#subscription = await this.#options.bus.subscribe(SUBJECT, (payload) =>
      this.#heard(payload as unknown as Announcement),
    );
  }

  async close(): Promise<void> {
    for (const chatId of this.#announced) this.#publish(chatId, NOBODY);
    await this.#subscription?.close();
  }

  /** A stream was opened. Call the result when it is closed. */
  enter(chatId: string, { kind, userId, username, guest }: Holder): () => void {
    const local = this.#local.get(chatId) ?? { users: new Map(), links: 0, guests: 0 };
    this.#local.set(chatId, local);
    const isGuest = kind === 'link' || guest !== undefined;
    const add = (change: 1 | -1) => {
      if (isGuest) local.guests += change;
      if (kind === 'link') local.links += change;
      else count(local.users, userId, username, change);
    };
    add(1);
    this.#changed(chatId);
    return () => {
      add(-1);
      if (local.users.size === 0 && local.links === 0) this.#local.delete(chatId);
      this.#changed(chatId);
    };
  }

  /** Of all replicas, by user name. */
  of(chatId: string): ChatViewers {
    const all = [this.#here(chatId), ...(this.#remote.get(chatId)?.values() ?? [])];
    const users = new Map(
      all.flatMap(({ viewers }) => viewers.map((viewer) => [viewer.user_id, viewer] as const)),
    );
    return {
      viewers: [...users.values()].sort((a, b) => (a.username < b.username ? -1 : 1)),
      link_viewers: all.reduce((sum, { link_viewers }) => sum + link_viewers, 0),
    };
  }

  /** Announces the viewers of this process again, and forgets those of silent replicas. Call it at the interval. */
  renew(): void {
    const now = this.#now();
    for (const [chatId, replicas] of this.#remote) {
      const silent = [...replicas].filter(([, { until }]) => until <= now);
      for (const [replicaId] of silent) this.#forget(chatId, replicaId);
      if (silent.length > 0) this.#options.onChange(chatId);
    }
    for (const chatId of this.#announced) {
      if (this.#isShared(chatId)) this.#announce(chatId);
      else this.#announced.delete(chatId);
    }
  }

  #here(chatId: string): ChatViewers {
    const local = this.#local.get(chatId);
    if (local === undefined) return NOBODY;
    const viewers = [...local.users].map(([user_id, { username }]) => ({ user_id, username }));
    return { viewers, link_viewers: local.links };
  }

  /** Someone besides the owner follows the chat. */
  #isShared(chatId: string): boolean {
    return (this.#local.get(chatId)?.guests ?? 0) > 0 || this.#remote.has(chatId);
  }

  #changed(chatId: string): void {
    if (this.#isShared(chatId) || this.#announced.has(chatId)) this.#announce(chatId);
    this.#options.onChange(chatId);
  }

  #announce(chatId: string): void {
    const here = this.#here(chatId);
    if (this.#local.has(chatId)) this.#announced.add(chatId);
    else if (!this.#announced.delete(chatId)) return;
    this.#publish(chatId, here);
  }

  #publish(chatId: string, { viewers, link_viewers }: ChatViewers): void {
    const { bus, replicaId } = this.#options;
    const announcement = { replica_id: replicaId, chat_id: chatId, viewers, link_viewers };
    bus.publish(SUBJECT, announcement as unknown as Json);
  }

  #heard({ replica_id, chat_id, viewers, link_viewers }: Announcement): void {
    const { replicaId, absentMs, onChange } = this.#options;
    if (replica_id === replicaId) return;
    const known = this.#remote.get(chat_id)?.get(replica_id);
    if (viewers.length === 0 && link_viewers === 0) this.#forget(chat_id, replica_id);
    else {
      const replicas = this.#remote.get(chat_id) ?? new Map<string, RemoteViewers>();
      this.#remote.set(chat_id, replicas);
      replicas.set(replica_id, { viewers, link_viewers, until: this.#now() + absentMs });
      // The other replica does not know who follows the chat here.
      if (known === undefined) this.#announce(chat_id);
    }
    onChange(chat_id);
  }

  #forget(chatId: string, replicaId: string): void {
    const replicas = this.#remote.get(chatId);
    replicas?.delete(replicaId);
    if (replicas?.size === 0) this.#remote.delete(chatId);
  }
}

const NOBODY: ChatViewers = { viewers: [], link_viewers: 0 };

function count(
  users: LocalViewers['users'],
  userId: string,
  username: string,
  change: 1 | -1,
): void {
  const streams = (users.get(userId)?.streams ?? 0) + change;
  if (streams === 0) users.delete(userId);
  else users.set(userId, { username, streams });
}
