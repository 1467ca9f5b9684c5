import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from '@chatd/protocol';
import { presentMessage } from '../present/message.ts';
import type { Database } from '../store/database.ts';
import { messagesBetween, tailOfChat } from '../store/queries/messages/read.ts';
import { type ChatHub, type Follower, MESSAGES_AT_ONCE } from './chat-hub.ts';
import type { ChatState } from './chat-state.ts';
import { encodeEvents } from './encode-events.ts';
import type { EventFrame } from './event-frame.ts';
import type { Ending, Outlet } from './outlet.ts';
import { merged, type PartBuffer } from './live/part-buffer.ts';
import { type Plan, planMessages, planParts, planState, STOPPED } from './plan-events.ts';
import type { StreamCursor } from './stream-cursor.ts';
import type { StreamCounts } from './stats.ts';

export interface ChatStreamOptions {
  readonly hub: ChatHub;
  readonly outlet: Outlet;
  /** What the client has seen. */
  readonly position: StreamCursor;
  readonly database: Database;
  readonly counts: StreamCounts;
  /** Number of messages to send at the start and after an edit. Undefined: all. */
  readonly tail?: number | undefined;
  /** Ends the stream when the chat stops: nothing more happens until a client acts. */
  readonly untilStopped?: boolean | undefined;
  /** A client with more unread bytes gets nothing until it has read them. */
  readonly backlogBytes: number;
  /** How long a mirror may lag behind the live parts that the client has seen. */
  readonly patienceMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * One client of one chat. It catches up from its cursor, then follows the hub. A slow client stops following and catches
 * up again later; nothing is buffered for it.
 */
export class ChatStream implements Follower {
  readonly #options: ChatStreamOptions;
  #position: StreamCursor;
  #leave: (() => void) | undefined;
  #closed = false;
  #patientUntil: number | undefined;

  constructor(options: ChatStreamOptions) {
    this.#options = options;
    this.#position = options.position;
    options.outlet.onClosed(() => {
      this.#closed = true;
      this.#leave?.();
    });
  }

  start(): void {
    this.#catchUp().catch((error: unknown) => {
      if (!this.#closed) this.#options.onError(error);
      this.close('failed');
    });
  }

  next(frame: EventFrame, position: StreamCursor): void {
    const { outlet, backlogBytes, counts, tail } = this.#options;
    if (tail !== undefined && position.reset > this.#position.reset) {
      // The hub now sends the whole history, but this client wants only the newest messages.
      this.#leave?.();
      return this.start();
    }
    outlet.write(frame);
    this.#position = position;
    if (this.#isComplete) return this.close('complete');
    if (outlet.backlog <= backlogBytes) return;
    this.#leave?.();
    counts.resyncs += 1;
    this.start();
  }

  gone(): void {
    this.close('gone');
  }

  close(ending: Ending): void {
    this.#options.outlet.close(ending);
  }

  async #catchUp(): Promise<void> {
    const { hub } = this.#options;
    while (!this.#closed) {
      if (hub.gone) return this.gone();
      await this.#room();
      if (this.#closed) return;
      const at = hub.settle();
      if (at === undefined) {
        await hub.changed();
      } else if (this.#position.version > at.state.version) {
        await hub.reached(this.#position.version);
      } else if (this.#lacksMessages(at.state)) {
        await this.#readMessages(at.state);
      } else if (!hub.liveIsKnown) {
        // Committed changes do not wait for live parts.
        this.#send(planState(this.#position, at.state, 'unknown'));
        if (this.#isComplete) return this.close('complete');
        await hub.changed();
      } else if (this.#isAheadOf(at.shown)) {
        await Promise.race([
          hub.changed(),
          sleep(this.#options.patienceMs, undefined, { ref: false }),
        ]);
      } else {
        const { state, shown } = at;
        this.#send(planState(this.#position, state, shown?.live ?? null));
        if (shown !== null) {
          const parts = merged(shown.after(this.#position.live?.seq ?? 0));
          this.#send(planParts(this.#position, shown.live, parts));
        }
        if (this.#isComplete) return this.close('complete');
        this.#leave = hub.follow(this);
        return hub.greet(this);
      }
    }
  }

  /** The status is sent after everything else that led to it, except for the end of the preview. */
  get #isComplete(): boolean {
    const { status, live } = this.#position;
    return this.#options.untilStopped === true && live === null && STOPPED.has(status);
  }

  #lacksMessages({ reset, message }: ChatState): boolean {
    return reset > this.#position.reset || message > this.#position.message;
  }

  async #readMessages(state: ChatState): Promise<void> {
    const { database, hub } = this.#options;
    const { reset, message } = this.#position;
    const from =
      state.reset > reset ? await beginningOf(database, hub.chatId, this.#options.tail) : message;
    // After an edit the hub reads the history in pages, and has not reached this message.
    if (from > state.message) return hub.state === state ? await hub.changed() : undefined;
    const messages =
      from === state.message
        ? []
        : (hub.takeInitialMessages(from, state.reset) ?? (await this.#messagesAfter(from, state)));
    if (messages.length === 0 && from !== state.message) {
      // The chat was edited meanwhile. Wait until the hub knows.
      const changed = hub.changed();
      hub.force();
      return await changed;
    }
    this.#send(planMessages(this.#position, state, messages, from));
  }

  async #messagesAfter(from: number, { message, reset }: ChatState): Promise<Message[]> {
    const { database, hub } = this.#options;
    const rows = await database.query(messagesBetween, {
      chat_id: hub.chatId,
      after_id: from,
      last_id: message,
      reset_version: reset,
      limit: MESSAGES_AT_ONCE,
    });
    return rows.map(presentMessage);
  }

  /** The client has seen live parts that have not arrived here. After a while they are withdrawn. */
  #isAheadOf(shown: PartBuffer | null): boolean {
    const seen = this.#position.live;
    if (seen === null || seen.tag !== shown?.live.tag || seen.seq <= shown.seq) {
      this.#patientUntil = undefined;
      return false;
    }
    const now = performance.now();
    this.#patientUntil ??= now + this.#options.patienceMs;
    if (now < this.#patientUntil) return true;
    this.#patientUntil = undefined;
    this.#send(planState(this.#position, this.#stateOfHub(), null));
    return false;
  }

  #stateOfHub(): ChatState {
    const { state } = this.#options.hub;
    if (state === undefined) throw new Error('The hub has a cursor but no state.');
    return state;
  }

  #send({ events, position }: Plan): void {
    const { hub, outlet, counts } = this.#options;
    this.#position = position;
    if (events.length === 0) return;
    counts.events += events.length;
    outlet.write(encodeEvents(hub.chatId, events));
  }

  async #room(): Promise<void> {
    const { outlet, backlogBytes } = this.#options;
    if (outlet.backlog > backlogBytes) await outlet.drained();
  }
}

/** The message before the newest `tail` ones. 0: none. */
export async function beginningOf(
  database: Database,
  chatId: string,
  tail: number | undefined,
): Promise<number> {
  if (tail === undefined) return 0;
  const [last] = await database.query(tailOfChat, { chat_id: chatId, count: tail });
  return last?.id ?? 0;
}
