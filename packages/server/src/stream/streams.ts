import type { Logger } from 'pino';
import type { SharingChange } from '../auth/sharing-changes.ts';
import type { Bus, Subscription } from '../bus/bus.ts';
import { type Refused, refusedField } from '../chat/refused.ts';
import type { ChatRow, MessageRow } from '../chat/row.ts';
import type { Change, CommittedStep } from '../store/change.ts';
import type { Database } from '../store/database.ts';
import { versionsOfChats } from '../store/queries/chats/versions.ts';
import { ChatHub } from './chat-hub.ts';
import type { ChatState } from './chat-state.ts';
import { ChatLiveSource } from './live/chat-live-source.ts';
import { beginningOf, ChatStream, type ChatStreamOptions } from './chat-stream.ts';
import { responseFrame } from './encode-events.ts';
import { FlushWindow } from './flush-window.ts';
import { GuestOutlet } from './guest-outlet.ts';
import { type Holder, Holders } from './holders.ts';
import { LiveMirrors } from './live/live-mirrors.ts';
import { LiveOwner } from './live/live-owner.ts';
import type { LiveSink } from './live/live-sink.ts';
import type { Subscriber, Outlet } from './outlet.ts';
import { Presence } from './presence.ts';
import { PartBuffers } from './live/part-buffers.ts';
import { decodeStreamCursor, type StreamCursor, START } from './stream-cursor.ts';
import { StreamCounts, type StreamStats } from './stats.ts';
import { type StreamTiming, TIMING } from './timing.ts';
import { Watchers } from './watchers.ts';

export interface StreamsOptions {
  readonly store: { readonly database: Database };
  readonly bus: Bus;
  /** Also the id of this process's worker. */
  readonly replicaId: string;
  readonly log: Logger;
  readonly timing?: Partial<StreamTiming>;
  readonly newTag?: () => string;
  /** Max open streams of a token or session in this process. */
  readonly streamsPerHolder?: number;
  /** Max open streams of a user in this process. Null: no limit. */
  readonly streamsPerUser?: () => Promise<number | null>;
}

const BACKLOG_BYTES = 256 * 1024;
const STREAMS_PER_HOLDER = 1000;

/** The cursor is malformed, or ahead of the chat. */
export const invalidCursor = (): Refused =>
  refusedField('after', 'is not a cursor of this chat', 'invalid_cursor');

interface OpenHub {
  readonly hub: ChatHub;
  viewers: number;
  closing: NodeJS.Timeout | undefined;
}

/** Where a client starts: at its cursor, else after a message, else with the newest messages, else with all. */
export interface StreamStart {
  readonly cursor?: string | undefined;
  readonly afterMessage?: number | undefined;
  /** Applies after an edit, too. */
  readonly tail?: number | undefined;
}

/** Where the stream of a turn starts: after a message, at a version of the chat that includes the request. */
export interface TurnStart {
  readonly chat: Pick<ChatRow, 'id' | 'snapshot_version' | 'reset_version'>;
  /** 0: with all messages. */
  readonly after: number;
  /** The chat was created by this request. */
  readonly created?: { readonly chat: ChatRow; readonly messages: readonly MessageRow[] };
}

/** A place within the limits of a token or session. */
export interface StreamReservation {
  /** The stream of a turn. `response` is the JSON of its first event. */
  followTurn(start: TurnStart, response: string): PreparedStream;
  cancel(): void;
}

/** A stream that has been checked and can be opened without waiting. */
export interface PreparedStream {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  open(outlet: Outlet): void;
  /** The client has disconnected before the stream was opened. */
  cancel(): void;
}

/** The streams and watchers of this process. */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #timing: StreamTiming;
  readonly #buffers: PartBuffers;
  readonly #flushWindow: FlushWindow;
  readonly #owner: LiveOwner;
  readonly #mirrors: LiveMirrors;
  readonly #watchers: Watchers;
  readonly #holders: Holders;
  readonly #presence: Presence;
  readonly #hubs = new Map<string, OpenHub>();
  readonly #outlets = new Map<Outlet, Progress>();
  /** Other open connections, such as terminals and desktops. */
  readonly #subscribers = new Set<Subscriber>();
  readonly #counts = new StreamCounts();
  readonly #timers: NodeJS.Timeout[] = [];
  #polling: NodeJS.Timeout | undefined;
  #changes: Subscription | undefined;
  #offGap: (() => void) | undefined;
  #away = false;
  #closed = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    const { bus, replicaId } = options;
    this.#buffers = new PartBuffers(options.newTag && { newTag: options.newTag });
    const buffers = this.#buffers;
    const flushWindow = new FlushWindow({ longestMs: this.#timing.flushMs });
    this.#flushWindow = flushWindow;
    this.#owner = new LiveOwner({ bus, replicaId, buffers, flushWindow, ...this.#timing });
    this.#mirrors = new LiveMirrors({ bus, replicaId, ...this.#timing });
    this.#holders = new Holders({
      perHolder: options.streamsPerHolder ?? STREAMS_PER_HOLDER,
      perUser: options.streamsPerUser ?? (() => Promise.resolve(null)),
    });
    this.#presence = new Presence({
      bus,
      replicaId,
      ...this.#timing,
      onChange: (chatId) => this.#hubs.get(chatId)?.hub.showViewers(this.#presence.of(chatId)),
    });
    this.#watchers = new Watchers({
      database: options.store.database,
      counts: this.#counts,
      watchMs: this.#timing.watchMs,
      backlogBytes: BACKLOG_BYTES,
      onError: (error) => options.log.warn({ err: error }, 'cannot read chats for watchers'),
    });
  }

  /** For the runners of this process. */
  get sink(): LiveSink {
    return this.#buffers;
  }

  async start(): Promise<void> {
    const { bus } = this.#options;
    await Promise.all([this.#owner.start(), this.#mirrors.start(), this.#presence.start()]);
    this.#changes = await bus.subscribe('changes', (json) =>
      this.#changed(json as unknown as Change),
    );
    this.#offGap = bus.onGap(() => this.#resync());
    this.#every(this.#timing.keepAliveMs, () => this.#keepAlive());
    this.#every(this.#timing.pingMs, () => this.#ping());
    this.#every(this.#timing.stallMs / 2, () => this.#closeStalled());
    this.#every(this.#timing.revokedMs, () => this.#closeRevoked());
    this.#every(this.#timing.presentMs, () => this.#presence.renew());
    this.#poll();
  }

  /** A runner of this process has committed a step. */
  committed({ id, status, snapshot_version }: Change, step: CommittedStep): void {
    this.#hubs.get(id)?.hub.committed(snapshot_version, status, step);
  }

  /** Throws `Refused`: an invalid cursor, or too many streams. */
  async join(
    chat: { readonly id: string; readonly snapshot_version: number },
    from: StreamStart,
    holder: Holder,
  ): Promise<PreparedStream> {
    const { cursor, tail } = from;
    const position = cursor === undefined ? undefined : decodeStreamCursor(chat.id, cursor);
    if (cursor !== undefined && position === undefined) throw invalidCursor();
    if (position !== undefined && position.version > chat.snapshot_version) {
      throw invalidCursor();
    }
    const giveBack = await this.#holders.enter(holder);
    const entry = this.#enter(chat.id);
    const leave = once(() => {
      giveBack();
      this.#leave(chat.id, entry);
    });
    try {
      const after = position?.message ?? from.afterMessage ?? (tail === undefined ? 0 : undefined);
      await entry.hub.reached(chat.snapshot_version, after);
      const { state } = entry.hub;
      if (position !== undefined && state !== undefined && isAhead(position, state)) {
        throw invalidCursor();
      }
      const start = position ?? (await this.#start(chat.id, state, from));
      return {
        cancel: leave,
        open: (outlet) => {
          if (!this.#opened(outlet, holder, leave, chat.id)) return;
          this.#show(entry.hub, shownTo(holder, outlet), start, { tail });
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** For a request that changes a chat and streams its turn: the limit must be checked first. Throws `Refused`. */
  async reserve(holder: Holder): Promise<StreamReservation> {
    const giveBack = once(await this.#holders.enter(holder));
    return {
      cancel: giveBack,
      followTurn: ({ chat, after, created }, response) => {
        const { id, snapshot_version: version, reset_version: reset } = chat;
        const position = { ...START, version, reset, message: after };
        const entry = this.#enter(id);
        const leave = once(() => {
          giveBack();
          this.#leave(id, entry);
        });
        if (created !== undefined) entry.hub.created(created.chat, created.messages);
        void entry.hub.reached(version, after);
        return {
          cancel: leave,
          open: (outlet) => {
            // Also during a shutdown: the request has taken effect.
            outlet.write(responseFrame(id, position, response));
            if (!this.#opened(outlet, holder, leave, id)) return;
            this.#show(entry.hub, shownTo(holder, outlet), position, { untilStopped: true });
          },
        };
      },
    };
  }

  /** Null: chats of all users. Throws `Refused`: too many streams. */
  async watch(ownerId: string | null, holder: Holder): Promise<PreparedStream> {
    const leave = once(await this.#holders.enter(holder));
    return {
      cancel: leave,
      open: (outlet) => {
        if (this.#opened(outlet, holder, leave)) this.#watchers.open(outlet, ownerId);
      },
    };
  }

  /**
   * For other connections of a token or session: they count as streams, are kept alive, and are closed when it is
   * revoked. Throws `Refused`: too many streams.
   */
  async hold(holder: Holder): Promise<{ opened(subscriber: Subscriber): void; cancel(): void }> {
    const leave = once(await this.#holders.enter(holder));
    return {
      cancel: leave,
      opened: (subscriber) => {
        this.#subscribers.add(subscriber);
        this.#holders.opened(subscriber, holder);
        subscriber.onClosed(() => {
          this.#subscribers.delete(subscriber);
          leave();
        });
        if (this.#away) subscriber.close('shutdown');
      },
    };
  }

  get stats(): StreamStats {
    const kinds = [...this.#outlets.keys()].map(({ kind }) => kind);
    const { events, lookups, resyncs, merged, slowCloses } = this.#counts;
    return {
      open: {
        sse: kinds.filter((kind) => kind === 'sse').length,
        websocket: kinds.filter((kind) => kind === 'websocket').length,
      },
      watching: this.#watchers.size,
      chats: this.#hubs.size,
      relayed: this.#mirrors.size,
      events,
      lookups,
      resyncs,
      merged,
      slowCloses,
    };
  }

  /** Called with the time that a committed change took to reach viewers. */
  onLag(listener: (seconds: number) => void): void {
    this.#counts.onLag = listener;
  }

  /** Disconnects all clients and accepts no new ones. They reconnect to another replica with their cursors. */
  disconnectAll(): void {
    this.#away = true;
    for (const subscriber of this.#all()) subscriber.close('shutdown');
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.disconnectAll();
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#polling);
    this.#offGap?.();
    for (const { hub, closing } of this.#hubs.values()) {
      clearTimeout(closing);
      hub.close();
    }
    this.#hubs.clear();
    this.#watchers.close();
    await Promise.all([
      this.#changes?.close(),
      this.#mirrors.close(),
      this.#owner.close(),
      this.#presence.close(),
    ]);
  }

  /** False: the server is shutting down. */
  #opened(outlet: Outlet, holder: Holder, leave: () => void, chatId?: string): boolean {
    this.#outlets.set(outlet, new Progress(outlet));
    this.#holders.opened(outlet, holder);
    const absent = chatId === undefined ? undefined : this.#presence.enter(chatId, holder);
    outlet.onClosed(() => {
      this.#outlets.delete(outlet);
      absent?.();
      leave();
    });
    if (this.#away) outlet.close('shutdown');
    return !this.#away;
  }

  /** A client that has seen nothing starts after the last edit. */
  async #start(
    chatId: string,
    state: ChatState | undefined,
    { afterMessage, tail }: StreamStart,
  ): Promise<StreamCursor> {
    if (state === undefined) return START;
    const { database } = this.#options.store;
    const message = afterMessage ?? (await beginningOf(database, chatId, tail));
    return { ...START, reset: state.reset, message: Math.min(message, state.message) };
  }

  #show(
    hub: ChatHub,
    outlet: Outlet,
    position: StreamCursor,
    scope: Pick<ChatStreamOptions, 'tail' | 'untilStopped'>,
  ): void {
    const { store, log } = this.#options;
    const stream = new ChatStream({
      ...scope,
      hub,
      outlet,
      position,
      database: store.database,
      counts: this.#counts,
      backlogBytes: BACKLOG_BYTES,
      patienceMs: this.#timing.patienceMs,
      onError: (error) => log.warn({ err: error, chat_id: hub.chatId }, 'stream failed'),
    });
    stream.start();
  }

  #enter(chatId: string): OpenHub {
    const known = this.#hubs.get(chatId);
    if (known !== undefined && !known.hub.gone) {
      clearTimeout(known.closing);
      known.viewers += 1;
      return known;
    }
    const { store, log, replicaId } = this.#options;
    const hub = new ChatHub({
      chatId,
      replicaId,
      database: store.database,
      counts: this.#counts,
      flushWindow: this.#flushWindow,
      retryMs: this.#timing.retryMs,
      openSource: (listener) =>
        new ChatLiveSource({
          chatId,
          replicaId,
          buffers: this.#buffers,
          mirrors: this.#mirrors,
          listener,
        }),
      onError: (error) => log.warn({ err: error, chat_id: chatId }, 'cannot read a chat'),
    });
    const entry: OpenHub = { hub, viewers: 1, closing: undefined };
    this.#hubs.set(chatId, entry);
    return entry;
  }

  #leave(chatId: string, entry: OpenHub): void {
    entry.viewers -= 1;
    if (entry.viewers > 0 || this.#closed) return;
    entry.closing = setTimeout(
      () => {
        entry.hub.close();
        if (this.#hubs.get(chatId) === entry) this.#hubs.delete(chatId);
      },
      entry.hub.gone ? 0 : this.#timing.lingerMs,
    );
    entry.closing.unref();
  }

  // Changes ------------------------------------------------------------------------------

  #changed(change: Change): void {
    this.#watchers.changed(change);
    const { id, snapshot_version, command } = change;
    const hub = this.#hubs.get(id)?.hub;
    if (hub === undefined) return;
    // A new owner does not change the version.
    if (command === 'release' || command === 'acquire') hub.force();
    else hub.hint(snapshot_version);
  }

  /** Hints may have been lost. */
  #resync(): void {
    this.#watchers.resync();
    for (const { hub } of this.#hubs.values()) hub.force();
  }

  /** Finds changes whose hint was lost, with one statement for all chats. */
  #poll(): void {
    if (this.#closed) return;
    const wait = this.#timing.pollMs * (0.75 + Math.random() / 2);
    this.#polling = setTimeout(() => {
      this.#compareAll()
        .catch((error: unknown) => this.#options.log.warn({ err: error }, 'cannot poll chats'))
        .finally(() => this.#poll());
    }, wait);
    this.#polling.unref();
  }

  async #compareAll(): Promise<void> {
    await this.#watchers.compare();
    const ids = [...this.#hubs.keys()];
    if (ids.length === 0) return;
    const rows = await this.#options.store.database.query(versionsOfChats, { ids });
    const found = new Map(rows.map((row) => [row.id, row]));
    for (const id of ids) {
      const row = found.get(id);
      const hub = this.#hubs.get(id)?.hub;
      if (row === undefined) hub?.force();
      else hub?.compare(row.snapshot_version, row.worker_id);
    }
  }

  // Idle and dead connections ---------------------------------------------------------------

  #every(ms: number, work: () => void): void {
    const timer = setInterval(work, ms);
    timer.unref();
    this.#timers.push(timer);
  }

  *#all(): Generator<Subscriber> {
    yield* this.#outlets.keys();
    yield* this.#subscribers;
  }

  #keepAlive(): void {
    for (const subscriber of this.#all()) subscriber.keepAlive();
  }

  #ping(): void {
    for (const { hub } of this.#hubs.values()) hub.ping();
    this.#watchers.ping();
  }

  /** A user may have lost rights, or entered or left a group. */
  accountChanged(userId: string): void {
    this.#closeRevoked();
    this.#watchers.accountChanged(userId);
  }

  /** The grants or the link of a chat changed, or a user has read it. */
  sharingChanged({ chat_id, read_by }: SharingChange): void {
    if (read_by !== undefined) return this.#watchers.readBy(chat_id, read_by);
    this.#closeRevoked();
    this.#watchers.sharingChanged(chat_id);
  }

  /**
   * Closes the streams of revoked tokens and links, ended sessions, suspended users, and users whose role has ended. Also
   * every few seconds, for changes whose message was lost.
   */
  #closeRevoked(): void {
    this.#holders
      .closeRevoked(this.#options.store.database)
      .catch((error: unknown) => this.#options.log.warn({ err: error }, 'cannot check tokens'));
  }

  #closeStalled(): void {
    const before = performance.now() - this.#timing.stallMs;
    for (const [outlet, progress] of this.#outlets) {
      if (!progress.isStalled(before)) continue;
      this.#counts.slowCloses += 1;
      const { kind, backlog } = outlet;
      this.#options.log.info({ kind, backlog }, 'disconnecting a client that does not read');
      outlet.close('slow');
    }
  }
}

/** Only the owner sees costs. */
const shownTo = ({ kind, guest }: Holder, outlet: Outlet): Outlet =>
  kind === 'link' || guest !== undefined ? new GuestOutlet(outlet, kind === 'link') : outlet;

/** Whether a client reads its stream. */
class Progress {
  readonly #outlet: Outlet;
  #taken = 0;
  #at = performance.now();

  constructor(outlet: Outlet) {
    this.#outlet = outlet;
  }

  /** The client has read nothing since then, although something was sent. */
  isStalled(since: number): boolean {
    const { taken, backlog } = this.#outlet;
    if (backlog === 0 || taken !== this.#taken) {
      this.#taken = taken;
      this.#at = performance.now();
    }
    return this.#at < since;
  }
}

/** The cursor is ahead of the chat, so it is invalid. */
const isAhead = (position: StreamCursor, state: ChatState): boolean =>
  position.reset > state.reset ||
  (position.reset === state.reset && position.message > state.message) ||
  position.queue > state.queue ||
  position.retry > state.retry ||
  (position.live?.history_version ?? 0) > state.history_version;

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}
