import type { ChatStatus, Message } from '@chatd/protocol';
import { presentMessage } from '../present/message.ts';
import type { HotStep } from '../store/change.ts';
import type { Database } from '../store/database.ts';
import { lookAtChat } from '../store/queries/chats/look-at-chat.ts';
import {
  chatState,
  type ChatState,
  positionAt,
  queuedIn,
  standing,
  stateAfter,
} from './chat-state.ts';
import { encodeEvents } from './encode-events.ts';
import type { Frame } from './frame.ts';
import type { LiveSource, LiveSourceListener } from './live-source.ts';
import { messagesIn, type Opening } from './opening.ts';
import { merged, type PartBuffer } from './part-buffer.ts';
import {
  planMessages,
  type PlannedEvent,
  planParts,
  planState,
  type Preview,
} from './plan-events.ts';
import type { Position } from './position.ts';
import type { StreamCounts } from './stats.ts';

/** Somebody who has seen all that the hub has told, and gets what comes next. */
export interface Follower {
  next(frame: Frame, position: Position): void;
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
  /** Parts that come within this time of each other are told together. */
  readonly flushMs: number;
  readonly retryMs: number;
}

export const MESSAGES_AT_ONCE = 50;

/**
 * What this process knows of a chat that somebody watches. A change is read once for all who follow, and put into
 * bytes once; whoever joins or has fallen behind catches up by itself until it stands where the hub stands.
 */
export class ChatHub {
  readonly chatId: string;
  readonly #options: HubOptions;
  readonly #source: LiveSource;
  readonly #followers = new Set<Follower>();
  #state: ChatState | undefined;
  /** After which message the first who joined begins; undefined: it is not known yet. */
  #asked: number | undefined;
  #opening: Opening | undefined;
  #position: Position | undefined;
  /** The live parts that are shown. */
  #shown: PartBuffer | null = null;
  /** The newest version that we were told of. */
  #hinted = 0;
  #forced = false;
  /** Parts that a look did not know of although it came after them: only news of the chat helps. */
  #baffling: PartBuffer | undefined;
  #looking = false;
  #flushing: NodeJS.Timeout | undefined;
  #flushedAt = Number.NEGATIVE_INFINITY;
  #waiting: (() => void)[] = [];
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

  /** There is news, as far as we were told. */
  hint(version: number): void {
    if (version <= this.#hinted) return;
    this.#hinted = version;
    this.#look();
  }

  /**
   * A step that was committed in this process. If nothing else happened since we looked, it is all there is to
   * know, and nothing is read.
   */
  committed(version: number, status: ChatStatus, step: HotStep): void {
    const { state } = this;
    const idle = !this.#looking && !this.#forced && !this.#closed && !this.#gone;
    if (!idle || state === undefined || version !== state.version + 1) return this.hint(version);
    // What was said comes before the message that holds it.
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

  /** There may be news. */
  force(): void {
    this.#forced = true;
    this.#look();
  }

  /** What a poll found. */
  compare(version: number, workerId: string | null): void {
    if (this.#state !== undefined && workerId !== this.#state.worker_id) this.force();
    this.hint(version);
  }

  /**
   * Resolves when the hub knows the chat as of that version, or that it is gone. If nothing was read yet, the messages
   * after that one are read along with it: see `takeOpening`.
   */
  async reached(version: number, after?: number): Promise<void> {
    this.#asked ??= after;
    this.hint(version);
    while (!this.#gone && !this.#closed && (this.#state?.version ?? -1) < version) {
      await this.changed();
    }
  }

  /** The messages that follow on one, if they were read with the chat; once, so that nobody keeps them. */
  takeOpening(from: number, reset: number): readonly Message[] | undefined {
    const opening = this.#opening;
    if (opening?.from !== from || opening.reset !== reset) return undefined;
    this.#opening = undefined;
    return opening.messages;
  }

  /** Resolves with the next thing that happens to the hub. */
  changed(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  /** Whether it is known which live parts there are: their owner may have to be asked. */
  get liveIsKnown(): boolean {
    return this.#source.buffer !== undefined;
  }

  /**
   * Where everybody stands who follows, once what is there is told. Undefined as long as the chat was not read. From
   * here to `follow` the caller must not wait.
   */
  settle(): { state: ChatState; position: Position; shown: PartBuffer | null } | undefined {
    this.#flush();
    if (this.#state === undefined || this.#position === undefined) return undefined;
    return { state: this.#state, position: this.#position, shown: this.#shown };
  }

  /** For a client that stands where the hub stands. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** For all who follow. */
  ping(): void {
    if (this.#position === undefined || this.#followers.size === 0) return;
    this.#tell([{ event: { type: 'ping' }, position: this.#position }], this.#position);
  }

  close(): void {
    this.#closed = true;
    this.#source.close();
    clearTimeout(this.#flushing);
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
      buffer !== this.#baffling &&
      standing(this.#state, buffer.live) === 'ahead'
    );
  }

  #look(): void {
    if (this.#looking || this.#closed || this.#gone) return;
    this.#looking = true;
    void this.#lookUntilDone();
  }

  /** One look at a time; news that comes meanwhile is looked at after it. */
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
    const rows = await database.query(lookAtChat, {
      chat_id: this.chatId,
      after_id: before?.message ?? asked ?? null,
      after_queue_version: before?.queue ?? -1, // Whoever has seen nothing has no edit to hear of.
      after_reset_version: before?.reset ?? Number.MAX_SAFE_INTEGER,
      limit: MESSAGES_AT_ONCE,
      with_newest: before === undefined,
    });
    if (this.#closed) return;
    // Live parts may have gone out meanwhile.
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
    // What we were told before we looked is in what we saw; a version that is not there was never true.
    if (this.#hinted === hinted) this.#hinted = state.version;
    this.#source.ownedBy(state.worker_id);
    if (position === undefined) {
      if (asked !== undefined && messages.length > 0) {
        this.#opening = { from: asked, reset: state.reset, messages };
      }
      this.#state = state;
      this.#position = positionAt(state, null);
    } else {
      this.#advance(position, state, messages, messages.length === MESSAGES_AT_ONCE);
    }
    if (buffer !== null && buffer !== undefined && standing(state, buffer.live) === 'ahead') {
      this.#baffling = buffer;
    } else {
      this.#baffling = undefined;
    }
    this.#show();
    this.#awake();
  }

  #advance(
    position: Position,
    state: ChatState,
    messages: readonly Message[],
    thereAreMore: boolean,
  ): void {
    const first = planMessages(position, state, messages);
    if (thereAreMore) {
      // What else is new comes with the last of them.
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
    // What was shown is committed, or void: that comes first, and is in the database.
    if (buffer === null && this.#position?.live) return this.force();
    if (this.#needsLook()) return this.#look();
    this.#show();
    this.#awake();
  }

  /** Which live parts may be shown, given what is committed. */
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
    if (this.#flushing !== undefined) return;
    const wait = this.#flushedAt + this.#options.flushMs - performance.now();
    this.#flushing = setTimeout(
      () => {
        this.#flush();
        this.#awake();
      },
      Math.max(0, wait),
    );
  }

  #flush(): void {
    clearTimeout(this.#flushing);
    this.#flushing = undefined;
    if (this.#shown === null || this.#position === undefined) return;
    const entries = this.#shown.after(this.#position.live?.seq ?? 0);
    if (entries.length === 0) return;
    this.#flushedAt = performance.now();
    const { events, position } = planParts(this.#position, this.#shown.live, merged(entries));
    this.#options.counts.merged += entries.length - events.length;
    this.#position = position;
    this.#tell(events, position);
  }

  // Telling -----------------------------------------------------------------------------------

  #tell(events: readonly PlannedEvent[], position: Position): void {
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
