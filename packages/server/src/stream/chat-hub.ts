import type { ChatStatus, Message } from '@chatd/protocol';
import { presentMessage } from '../present/message.ts';
import type { ChatRow, MessageRow } from '../chat/row.ts';
import type { CommittedStep } from '../store/change.ts';
import type { Database } from '../store/database.ts';
import { readChatSnapshot } from '../store/queries/chats/snapshot.ts';
import {
  chatState,
  type ChatState,
  cursorAt,
  queuedIn,
  standing,
  stateAfter,
} from './chat-state.ts';
import { encodeEvents } from './encode-events.ts';
import type { EventFrame } from './event-frame.ts';
import type { FlushWindow } from './flush-window.ts';
import type { LiveSource, LiveSourceListener } from './live/live-source.ts';
import { messagesIn, type InitialMessages } from './initial-messages.ts';
import { merged, type PartBuffer } from './live/part-buffer.ts';
import {
  planMessages,
  type PlannedEvent,
  planParts,
  planState,
  type Preview,
} from './plan-events.ts';
import type { ChatViewers } from './presence.ts';
import type { StreamCursor } from './stream-cursor.ts';
import type { StreamCounts } from './stats.ts';

/** A client that has seen everything the hub has sent. */
export interface Follower {
  next(frame: EventFrame, position: StreamCursor): void;
  /** The chat is gone. */
  gone(): void;
}

export interface HubOptions {
  readonly chatId: string;
  readonly replicaId: string;
  readonly database: Database;
  readonly counts: StreamCounts;
  readonly openSource: (listener: LiveSourceListener) => LiveSource;
  readonly onError: (error: unknown) => void;
  /** Parts that arrive within this time are sent together. */
  readonly flushWindow: Pick<FlushWindow, 'ms'>;
  readonly retryMs: number;
}

export const MESSAGES_AT_ONCE = 50;

/**
 * The state of a chat that clients of this process watch. A change is read and encoded once for all followers. A client
 * that joins or has fallen behind catches up on its own until it reaches the hub's cursor.
 */
export class ChatHub {
  readonly chatId: string;
  readonly #options: HubOptions;
  readonly #source: LiveSource;
  readonly #followers = new Set<Follower>();
  #state: ChatState | undefined;
  /** The message after which the first client starts. Undefined: not known yet. */
  #asked: number | undefined;
  #initialMessages: InitialMessages | undefined;
  #position: StreamCursor | undefined;
  /** The live parts that followers see. */
  #shown: PartBuffer | null = null;
  /** The newest version in a hint. */
  #hinted = 0;
  #forced = false;
  /** Live parts of an attempt that a later read did not find. The next change of the chat settles it. */
  #unmatched: PartBuffer | undefined;
  #looking = false;
  #cancelFlush: (() => void) | undefined;
  #flushedAt = Number.NEGATIVE_INFINITY;
  #waiting: (() => void)[] = [];
  #viewers: ChatViewers | undefined;
  #closed = false;
  #gone = false;

  constructor(options: HubOptions) {
    this.#options = options;
    this.chatId = options.chatId;
    this.#source = options.openSource({
      changed: () => this.#sourceChanged(),
      doubted: () => this.force(),
    });
  }

  get state(): ChatState | undefined {
    return this.#state;
  }

  /** The chat no longer exists, or is deleted. */
  get gone(): boolean {
    return this.#gone;
  }

  /** The chat has this version by now. */
  hint(version: number): void {
    if (version <= this.#hinted) return;
    this.#hinted = version;
    this.#look();
  }

  /**
   * A chat that this process has just created, with its first message: nothing has to be read. A later change whose hint
   * came before this call is found like any other lost hint.
   */
  created(chat: ChatRow, messages: readonly MessageRow[]): void {
    if (this.#state !== undefined || this.#looking || this.#closed) return;
    const shown = messages.map(presentMessage);
    const nothing = { asking: null, queue: null, newest: null };
    const state = chatState({ ...chat, ...nothing }, shown.at(-1)?.id ?? 0, []);
    this.#hinted = state.version;
    this.#initialMessages = { from: 0, reset: state.reset, messages: shown };
    this.#source.ownedBy(state.worker_id);
    this.#state = state;
    this.#position = cursorAt(state, null);
    this.#show();
    this.#awake();
  }

  /** A step that was committed in this process. If it directly follows the known state, nothing has to be read. */
  committed(version: number, status: ChatStatus, step: CommittedStep): void {
    const { state } = this;
    const idle = !this.#looking && !this.#forced && !this.#closed && !this.#gone;
    if (!idle || state === undefined || version !== state.version + 1) return this.hint(version);
    // Live parts come before the message that contains them.
    this.#flush();
    if (this.#position === undefined) return;
    this.#hinted = Math.max(this.#hinted, version);
    const messages = step.messages.filter(({ hidden }) => !hidden).map(presentMessage);
    const after = stateAfter(state, { version, status, step, message: messages.at(-1)?.id });
    const worker_id = status === 'running' ? this.#options.replicaId : null;
    this.#source.ownedBy(worker_id);
    this.#advance(this.#position, { ...after, worker_id }, messages, false);
    this.#show();
    this.#awake();
  }

  /** The chat may have changed. */
  force(): void {
    this.#forced = true;
    this.#look();
  }

  /** Compares with the result of a poll. */
  compare(version: number, workerId: string | null): void {
    if (this.#state !== undefined && workerId !== this.#state.worker_id) this.force();
    this.hint(version);
  }

  /**
   * Resolves when the hub has reached that version, or the chat is gone. The first read includes the messages after
   * `after`: see `takeInitialMessages`.
   */
  async reached(version: number, after?: number): Promise<void> {
    this.#asked ??= after;
    this.hint(version);
    while (!this.#gone && !this.#closed && (this.#state?.version ?? -1) < version) {
      await this.changed();
    }
  }

  /** The messages after `from`, if they were read with the chat. Returns them once, so that they are not kept. */
  takeInitialMessages(from: number, reset: number): readonly Message[] | undefined {
    const opening = this.#initialMessages;
    if (opening?.from !== from || opening.reset !== reset) return undefined;
    this.#initialMessages = undefined;
    return opening.messages;
  }

  /** Resolves with the next change of the hub. */
  changed(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  /** Whether the live parts are known. The replica that runs the chat may have to be asked. */
  get liveIsKnown(): boolean {
    return this.#source.buffer !== undefined;
  }

  /** Flushes, and returns the cursor of all followers. Undefined before the first read. Call `follow` synchronously. */
  settle(): { state: ChatState; position: StreamCursor; shown: PartBuffer | null } | undefined {
    this.#flush();
    if (this.#state === undefined || this.#position === undefined) return undefined;
    return { state: this.#state, position: this.#position, shown: this.#shown };
  }

  /** For a client at the hub's cursor. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** Who follows the chat. Followers are told once there is a second one. */
  showViewers(now: ChatViewers): void {
    const isAlone = now.viewers.length + now.link_viewers < 2;
    if (this.#viewers === undefined && isAlone) return;
    if (JSON.stringify(now) === JSON.stringify(this.#viewers)) return;
    this.#viewers = now;
    if (this.#position === undefined) return;
    this.#tell([{ event: viewersEvent(now), position: this.#position }], this.#position);
  }

  /** For a client that has just begun to follow. */
  greet(follower: Follower): void {
    if (this.#viewers === undefined || this.#position === undefined) return;
    const position = this.#position;
    const event = viewersEvent(this.#viewers);
    follower.next(encodeEvents(this.chatId, [{ event, position }]), position);
  }

  ping(): void {
    if (this.#position === undefined || this.#followers.size === 0) return;
    this.#tell([{ event: { type: 'ping' }, position: this.#position }], this.#position);
  }

  close(): void {
    this.#closed = true;
    this.#source.close();
    this.#cancelFlush?.();
    this.#awake();
  }

  // Committed changes -------------------------------------------------------------------------

  #needsLook(): boolean {
    if (this.#closed || this.#gone) return false;
    if (this.#state === undefined || this.#forced) return true;
    if (this.#hinted > this.#state.version) return true;
    const { buffer } = this.#source;
    return (
      buffer !== undefined &&
      buffer !== null &&
      buffer !== this.#unmatched &&
      standing(this.#state, buffer.live) === 'ahead'
    );
  }

  #look(): void {
    if (this.#looking || this.#closed || this.#gone) return;
    this.#looking = true;
    void this.#lookUntilDone();
  }

  /** One read at a time. Changes that arrive meanwhile cause another one. */
  async #lookUntilDone(): Promise<void> {
    try {
      while (this.#needsLook()) await this.#lookOnce();
      this.#looking = false;
    } catch (error) {
      this.#options.onError(error);
      setTimeout(() => {
        this.#looking = false;
        this.force();
      }, this.#options.retryMs).unref();
    }
  }

  async #lookOnce(): Promise<void> {
    const { database, counts } = this.#options;
    const { buffer } = this.#source;
    this.#forced = false;
    counts.lookups += 1;
    const before = this.#position;
    const hinted = this.#hinted;
    const asked = before === undefined ? this.#asked : undefined;
    const rows = await database.query(readChatSnapshot, {
      chat_id: this.chatId,
      after_id: before?.message ?? asked ?? null,
      after_queue_version: before?.queue ?? -1,
      // A client that has seen nothing needs no reset.
      after_reset_version: before?.reset ?? Number.MAX_SAFE_INTEGER,
      limit: MESSAGES_AT_ONCE,
      with_newest: before === undefined,
    });
    if (this.#closed) return;
    // Live parts may have been sent meanwhile.
    const position = this.#position;
    const [look] = rows;
    if (look === undefined || look.deleted_at !== null) return this.#end();
    const messages = messagesIn(rows);
    const known = this.#state;
    const seen =
      position === undefined || look.reset_version > position.reset ? 0 : position.message;
    const message = before === undefined ? (look.newest ?? 0) : (messages.at(-1)?.id ?? seen);
    const queued = look.queue === null ? (known?.queued ?? []) : queuedIn(look.queue);
    const state = chatState(look, message, queued);
    // Hints from before the read are covered by it. A version that it did not find was never committed.
    if (this.#hinted === hinted) this.#hinted = state.version;
    this.#source.ownedBy(state.worker_id);
    if (position === undefined) {
      if (asked !== undefined && messages.length > 0) {
        this.#initialMessages = { from: asked, reset: state.reset, messages };
      }
      this.#state = state;
      this.#position = cursorAt(state, null);
    } else {
      this.#advance(position, state, messages, messages.length === MESSAGES_AT_ONCE);
    }
    if (buffer !== null && buffer !== undefined && standing(state, buffer.live) === 'ahead') {
      this.#unmatched = buffer;
    } else {
      this.#unmatched = undefined;
    }
    this.#show();
    this.#awake();
  }

  #advance(
    position: StreamCursor,
    state: ChatState,
    messages: readonly Message[],
    thereAreMore: boolean,
  ): void {
    const first = planMessages(position, state, messages);
    if (thereAreMore) {
      // Other changes are sent with the last page.
      this.#position = first.position;
      this.#forced = true;
      if (this.#state !== undefined) {
        this.#state = { ...this.#state, reset: state.reset, message: state.message };
      }
      this.#tell(first.events, first.position);
      return;
    }
    const isNews = state.version > (this.#state?.version ?? 0);
    this.#state = state;
    const rest = planState(first.position, state, this.#preview());
    this.#position = rest.position;
    this.#tell([...first.events, ...rest.events], rest.position);
    if (isNews && this.#followers.size > 0) {
      this.#options.counts.onLag(Math.max(0, Date.now() - state.updated_at.getTime()) / 1000);
    }
  }

  #end(): void {
    this.#gone = true;
    for (const follower of this.#followers) follower.gone();
    this.#awake();
  }

  // Live parts --------------------------------------------------------------------------------

  #sourceChanged(): void {
    const state = this.#state;
    if (state === undefined || this.#closed) return;
    const { buffer } = this.#source;
    if (buffer !== undefined && buffer === this.#shown) {
      this.#scheduleFlush();
      return;
    }
    if (buffer === undefined) return;
    if (buffer !== null && standing(state, buffer.live) === 'current') {
      this.#show();
      this.#awake();
      return;
    }
    // The live parts are committed or obsolete. Read the database first.
    if (buffer === null && this.#position?.live) return this.force();
    if (this.#needsLook()) return this.#look();
    this.#show();
    this.#awake();
  }

  /** The live parts to show, given the committed state. */
  #preview(): Preview {
    const { buffer } = this.#source;
    if (this.#state === undefined || buffer === undefined) return 'unknown';
    if (buffer === null) return null;
    const worth = standing(this.#state, buffer.live);
    return worth === 'ahead' ? 'unknown' : worth === 'current' ? buffer.live : null;
  }

  #show(): void {
    const preview = this.#preview();
    if (preview === 'unknown' || this.#state === undefined || this.#position === undefined) return;
    this.#shown = preview === null ? null : (this.#source.buffer ?? null);
    const { events, position } = planState(this.#position, this.#state, preview);
    this.#position = position;
    this.#tell(events, position);
    if (this.#shown !== null) this.#scheduleFlush();
  }

  #scheduleFlush(): void {
    if (this.#cancelFlush !== undefined) return;
    const flush = () => {
      this.#flush();
      this.#awake();
    };
    const wait = this.#flushedAt + this.#options.flushWindow.ms - performance.now();
    if (wait > 0) {
      const timer = setTimeout(flush, wait);
      this.#cancelFlush = () => clearTimeout(timer);
    } else {
      const soon = setImmediate(flush);
      this.#cancelFlush = () => clearImmediate(soon);
    }
  }

  #flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    if (this.#shown === null || this.#position === undefined) return;
    const entries = this.#shown.after(this.#position.live?.seq ?? 0);
    if (entries.length === 0) return;
    this.#flushedAt = performance.now();
    const { events, position } = planParts(this.#position, this.#shown.live, merged(entries));
    this.#options.counts.merged += entries.length - events.length;
    this.#position = position;
    this.#tell(events, position);
  }

  // Sending -----------------------------------------------------------------------------------

  #tell(events: readonly PlannedEvent[], position: StreamCursor): void {
    if (events.length === 0 || this.#followers.size === 0) return;
    const frame = encodeEvents(this.chatId, events);
    this.#options.counts.events += events.length * this.#followers.size;
    for (const follower of this.#followers) follower.next(frame, position);
  }

  #awake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

const viewersEvent = ({ viewers, link_viewers }: ChatViewers) => ({
  type: 'viewers' as const,
  viewers: [...viewers],
  link_viewers,
});
