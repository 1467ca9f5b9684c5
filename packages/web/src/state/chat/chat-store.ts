import type { FileChange } from '@chatd/protocol/presentation';
import type {
  AwaitedCall,
  Branch,
  ChatError,
  ChatEvent,
  ChatStatus,
  Message,
  Participant,
  QueuedMessage,
  Retry,
} from '@chatd/protocol';
import { type Clock, systemClock } from '@chatd/protocol/clock';
import { apiPath, client, link } from '../../api/client.ts';
import { Cell } from '../cell.ts';
import { LiveSocket } from '../live-socket.ts';
import { LiveStream } from '../live-stream.ts';
import { ApprovalChoices, NONE_SENT } from './approval-choices.ts';
import { Folds } from './folds.ts';
import { type Frames, pageFrames } from './frames.ts';
import { upsert, withKept, withOlder } from './history.ts';
import { whenIdle } from './idle.ts';
import { LivePieces } from './live-pieces.ts';
import { OlderMessages } from './older-messages.ts';
import { type Piece, piecesOf } from './pieces.ts';
import { ToolCalls } from './tool-calls.ts';

/** Older messages are loaded when the page is idle, as many at once as are rendered without a noticeable pause. */
const TAIL = 60;
const OLDER_PAGE = 60;

export interface Viewers {
  readonly viewers: readonly Participant[];
  /** Open pages by the link of the chat. */
  readonly link_viewers: number;
}

const NO_VIEWERS: Viewers = { viewers: [], link_viewers: 0 };

/**
 * The state of one chat, from its stream. Each concern has its own cell, so that a delta renders only what it affects.
 * Events are applied once per frame, in order, so that no intermediate state is visible.
 */
export class ChatStore {
  readonly chatId: string;
  /** Committed messages by id: the newest ones and all older ones loaded so far. */
  readonly messages = new Cell<readonly Message[]>([]);
  /** The uncommitted answer. */
  readonly live: LivePieces;
  readonly tools = new ToolCalls();
  readonly older: OlderMessages;
  readonly folds = new Folds();
  readonly approvals = new ApprovalChoices();
  readonly status = new Cell<ChatStatus>('waiting');
  readonly queue = new Cell<readonly QueuedMessage[]>([]);
  readonly awaited = new Cell<readonly AwaitedCall[]>([]);
  readonly retry = new Cell<Retry | null>(null);
  readonly error = new Cell<ChatError | null>(null);
  /** The points with several versions. See `useVersions`. */
  readonly versions = new Cell<readonly Branch[]>([]);
  /** The turns and restores that changed files, newest first. See `useFileChanges`. */
  readonly fileChanges = new Cell<readonly FileChange[]>([]);
  /** Who follows the chat, including the user. Empty until a second person does. */
  readonly viewers = new Cell<Viewers>(NO_VIEWERS);
  /** The users who have written the messages so far. */
  readonly authors = new Cell<readonly string[]>([]);
  /** Counts history resets. */
  readonly resets = new Cell(0);
  /** Why the stream by a link has ended for good. */
  readonly ended = new Cell<unknown>(undefined);
  /** False until the initial state of the stream has arrived. */
  readonly loaded = new Cell(false);
  readonly #events: { close(): void };
  readonly #frames: Frames;
  readonly #pieces = new WeakMap<Message, readonly Piece[]>();
  #cursor: string | undefined;
  #heard: ChatEvent[] = [];
  /** The messages while events are applied; undefined when unchanged. */
  #changed: Message[] | undefined;
  /** The messages from before a history reset, until the new history arrives. */
  #before: readonly Message[] | undefined;

  constructor(chatId: string, clock: Clock = systemClock, frames: Frames = pageFrames()) {
    this.chatId = chatId;
    this.#frames = frames;
    this.live = new LivePieces(() => clock.now());
    this.older = new OlderMessages({
      read: (before_id) =>
        client.call('listMessages', {
          params: { chat_id: chatId },
          query: { before_id, limit: OLDER_PAGE },
        }),
      oldest: () => this.messages.get()[0]?.id,
      add: (older) => {
        for (const message of older) {
          this.tools.commit(message);
          this.#noteAuthor(message);
        }
        this.tools.tell();
        this.messages.update((messages) => withOlder(messages, older));
      },
      whenIdle,
    });
    const onEvent = (event: unknown) => this.hear(event as ChatEvent);
    const path = () => {
      const after = this.#cursor === undefined ? '' : `&after=${encodeURIComponent(this.#cursor)}`;
      return apiPath(`/chats/${chatId}/stream?tail=${TAIL}${after}`);
    };
    // A WebSocket of a browser cannot send the token of a link.
    this.#events =
      link === undefined
        ? new LiveSocket({ path, onEvent })
        : new LiveStream({
            chatId,
            tail: TAIL,
            onEvent,
            onEnd: (reason) => this.ended.set(reason),
          });
  }

  close(): void {
    this.#events.close();
    this.#frames.cancel();
    this.older.reset();
  }

  piecesOf(message: Message): readonly Piece[] {
    const known = this.#pieces.get(message);
    if (known !== undefined) return known;
    const pieces = piecesOf(message.content, `${message.id}`);
    this.#pieces.set(message, pieces);
    return pieces;
  }

  hear(event: ChatEvent): void {
    this.#cursor = event.cursor;
    this.#heard.push(event);
    this.#frames.request(this.#frame);
  }

  readonly #frame = (): void => {
    const heard = this.#heard;
    this.#heard = [];
    for (const event of heard) this.#apply(event);
    this.#publish();
    this.tools.tell();
    if (this.live.advance()) this.#frames.request(this.#frame);
  };

  #publish(): void {
    const changed = this.#changed;
    const before = this.#before;
    // After an edit, publishes nothing until the first message of the new history arrives.
    if (before !== undefined && changed?.length === 0) return;
    if (changed !== undefined) {
      this.messages.set(before === undefined ? changed : withKept(changed, before));
      this.#changed = undefined;
      this.#before = undefined;
    }
    // On a slow connection, messages may arrive several frames before the status that completes them.
    if (this.loaded.get()) this.older.begin(this.messages.get().length >= TAIL);
  }

  #apply(event: ChatEvent): void {
    switch (event.type) {
      case 'message':
        this.#commit(event.message);
        break;
      case 'message_part':
        this.retry.set(null);
        if (event.part.type === 'tool-call' || event.part.type === 'tool-result') {
          this.tools.hear(event.part);
        }
        this.live.add(event.part);
        break;
      case 'preview_reset':
        this.live.reset();
        this.tools.reset();
        break;
      case 'history_reset':
        this.#before ??= this.#changed ?? this.messages.get();
        this.#changed = [];
        this.live.reset();
        this.tools.reset();
        this.older.reset();
        this.resets.update((count) => count + 1);
        break;
      case 'status':
        this.#follow(event.status);
        break;
      case 'queue_update':
        this.queue.set(event.queued_messages);
        event.queued_messages.forEach(this.#noteAuthor);
        break;
      case 'action_required':
        this.awaited.set(event.tool_calls);
        this.approvals.sent.set(NONE_SENT);
        this.tools.follow(this.status.get(), event.tool_calls, event.decided);
        break;
      case 'retry':
        this.retry.set(event);
        break;
      case 'error':
        this.error.set(event.error);
        break;
      case 'viewers':
        this.viewers.set(event);
        break;
      case 'ping':
        break;
    }
  }

  #commit(message: Message): void {
    this.#changed ??= [...this.messages.get()];
    upsert(this.#changed, message);
    this.#noteAuthor(message);
    this.tools.commit(message);
    if (message.role !== 'assistant' || this.live.isEmpty) return;
    // The committed message replaces its preview and reuses the parsed text.
    const { slot, known } = this.live.handOver();
    this.#pieces.set(message, piecesOf(message.content, slot, known));
  }

  readonly #noteAuthor = ({ created_by: author }: Pick<Message, 'created_by'>): void => {
    if (author === undefined || this.authors.get().includes(author)) return;
    this.authors.update((before) => [...before, author]);
  };

  #follow(status: ChatStatus): void {
    this.status.set(status);
    if (status !== 'requires_action') {
      this.awaited.set([]);
      this.approvals.sent.set(NONE_SENT);
    }
    if (status !== 'running') this.retry.set(null);
    if (status !== 'error') this.error.set(null);
    this.tools.follow(status, this.awaited.get());
    this.loaded.set(true);
  }
}
