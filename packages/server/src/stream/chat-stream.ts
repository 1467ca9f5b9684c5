import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from '@chatd/protocol';
import { presentMessage } from '../present/message.ts';
import type { Database } from '../store/database.ts';
import { messagesBetween, tailOfChat } from '../store/queries/messages/read.ts';
import { type ChatHub, type Follower, MESSAGES_AT_ONCE } from './chat-hub.ts';
import type { ChatState } from './chat-state.ts';
import { encodeEvents } from './encode-events.ts';
import type { Frame } from './frame.ts';
import type { Ending, Outlet } from './outlet.ts';
import { merged, type PartBuffer } from './part-buffer.ts';
import { type Plan, planMessages, planParts, planState } from './plan-events.ts';
import type { Position } from './position.ts';
import type { StreamCounts } from './stats.ts';

export interface ChatStreamOptions {
  readonly hub: ChatHub;
  readonly outlet: Outlet;
  /** What the client has seen. */
  readonly position: Position;
  readonly database: Database;
  readonly counts: StreamCounts;
  /** So many messages come at the beginning and after an edit; undefined: all. */
  readonly tail?: number | undefined;
  /** A client with more than this on its way waits until it has taken it. */
  readonly backlogBytes: number;
  /** How long the copy of another process may be behind what the client has seen already. */
  readonly patienceMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * One client of one chat. It catches up from where it stands, then follows the hub; when it is slow it stands still,
 * and catches up again. Nothing is kept for it meanwhile.
 */
export class ChatStream implements Follower {
  readonly #options: ChatStreamOptions;
  #position: Position;
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

  next(frame: Frame, position: Position): void {
    const { outlet, backlogBytes, counts, tail } = this.#options;
    if (tail !== undefined && position.reset > this.#position.reset) {
      // Everybody else is sent the whole history now; we read our part of it ourselves.
      this.#leave?.();
      return this.start();
    }
    outlet.write(frame);
    this.#position = position;
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
        // What is committed does not wait for it.
        this.#send(planState(this.#position, at.state, 'unknown'));
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
        this.#leave = hub.follow(this);
        return;
      }
    }
  }

  #lacksMessages({ reset, message }: ChatState): boolean {
    return reset > this.#position.reset || message > this.#position.message;
  }

  async #readMessages(state: ChatState): Promise<void> {
    const { database, hub } = this.#options;
    const { reset, message } = this.#position;
    const from =
      state.reset > reset ? await beginningOf(database, hub.chatId, this.#options.tail) : message;
    // The hub reads the history after an edit piece by piece, and has not come that far.
    if (from > state.message) return hub.state === state ? await hub.changed() : undefined;
    const messages =
      from === state.message
        ? []
        : (hub.takeOpening(from, state.reset) ?? (await this.#messagesAfter(from, state)));
    if (messages.length === 0 && from !== state.message) {
      // An edit came in between, and the hub will know it.
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

  /** The client has seen live parts that have not come here yet. After a while they are withdrawn. */
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
    if (state === undefined) throw new Error('the hub has a position and no state');
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

/** The last message that is left out for a client that wants only so many of the newest; 0: none is. */
export async function beginningOf(
  database: Database,
  chatId: string,
  tail: number | undefined,
): Promise<number> {
  if (tail === undefined) return 0;
  const [last] = await database.query(tailOfChat, { chat_id: chatId, count: tail });
  return last?.id ?? 0;
}
