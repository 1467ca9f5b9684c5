import assert from 'node:assert/strict';
import { ChatEvent, type Message, type QueuedMessage } from '@chatd/protocol';
import type { EventFrame } from '../../src/stream/event-frame.ts';
import type { Ending, Outlet } from '../../src/stream/outlet.ts';

/** The state of a client after the events that it got, and the first violation of the protocol. */
export class Seen {
  messages = new Map<number, Message>();
  queued: readonly QueuedMessage[] | undefined;
  status: string | undefined;
  live: { history_version: number; attempt: number; seq: number; parts: unknown[] } | undefined;
  error: unknown;
  retry: unknown;
  asked: unknown;
  cursor: string | undefined;
  readonly log: string[] = [];
  /** The first violation of the protocol. */
  failure: unknown;
  /** A turn has begun since the last status. */
  #begun = false;

  take(json: string): void {
    try {
      this.#take(json);
    } catch (error) {
      this.failure ??= error;
    }
  }

  check(): void {
    if (this.failure !== undefined) {
      throw new Error(`after: ${this.log.join(', ')}`, { cause: this.failure });
    }
  }

  #take(json: string): void {
    const parsed: unknown = JSON.parse(json);
    const event = ChatEvent.parse(parsed);
    // Parsing drops unknown fields. There must be none.
    assert.deepEqual(event, parsed);
    this.cursor = event.cursor;
    this.log.push(line(event));
    switch (event.type) {
      case 'message':
        assert.notDeepEqual(this.messages.get(event.message.id), event.message);
        this.messages.set(event.message.id, event.message);
        this.#begun ||= event.message.role === 'user';
        break;
      case 'message_part':
        this.#part(event);
        break;
      case 'preview_reset':
        assert(this.live !== undefined, 'there are no live parts to discard');
        this.live = undefined;
        break;
      case 'history_reset':
        this.messages.clear();
        this.#begun = true;
        break;
      case 'status':
        assert(event.status !== this.status || this.#begun, `the status is ${event.status} again`);
        this.#begun = false;
        this.status = event.status;
        break;
      case 'queue_update':
        this.queued = event.queued_messages;
        break;
      case 'action_required':
        this.asked = event.tool_calls;
        break;
      case 'retry':
        this.retry = event.error;
        break;
      case 'error':
        this.error = event.error;
        break;
      case 'viewers':
      case 'ping':
        break;
    }
  }

  #part(event: ChatEvent & { type: 'message_part' }): void {
    const { history_version, attempt, seq, from_seq = seq, role, part } = event;
    this.live ??= { history_version, attempt, seq: 0, parts: [] };
    const { live } = this;
    assert.deepEqual(
      [history_version, attempt, from_seq],
      [live.history_version, live.attempt, live.seq + 1],
      'parts do not follow each other',
    );
    this.live.seq = seq;
    this.live.parts.push({ role, part });
  }

  /** All text of the live parts. */
  get liveText(): string {
    return textOf(this.live?.parts ?? []);
  }
}

const DELTAS = ['text', 'args_delta', 'result_delta'];

export const textOf = (parts: readonly unknown[]): string =>
  parts
    .map((each) => {
      const { part } = each as { part: Record<string, string | undefined> };
      return DELTAS.map((name) => part[name] ?? '').join('');
    })
    .join('');

function line(event: ChatEvent): string {
  switch (event.type) {
    case 'message':
      return `message ${event.message.role}`;
    case 'status':
      return `status ${event.status}`;
    case 'message_part':
      return `part ${event.from_seq === undefined ? '' : `${event.from_seq}-`}${event.seq}`;
    case 'queue_update':
      return `queue ${event.queued_messages.length}`;
    case 'preview_reset':
    case 'history_reset':
    case 'action_required':
    case 'retry':
    case 'error':
    case 'viewers':
    case 'ping':
      return event.type;
  }
}

/** A client's end of a stream, which may be slow and can disconnect anywhere. */
export class Viewer implements Outlet {
  readonly kind = 'sse';
  readonly seen: Seen;
  ending: Ending | undefined;
  backlog = 0;
  taken = 0;
  #open = true;
  #stuck = false;
  #waiting: EventFrame[] = [];
  #eventsLeft = Number.POSITIVE_INFINITY;
  readonly #onClosed: (() => void)[] = [];
  #onDrained: (() => void)[] = [];

  constructor(seen = new Seen()) {
    this.seen = seen;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  get isStuck(): boolean {
    return this.#stuck;
  }

  write(frame: EventFrame): void {
    if (!this.#open) return;
    if (this.#stuck) {
      this.#waiting.push(frame);
      this.backlog += frame.eventStream.length;
      return;
    }
    this.#take(frame);
  }

  keepAlive(): void {
    this.taken += 1;
  }

  async drained(): Promise<void> {
    if (this.backlog === 0 || !this.#open) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onDrained.push(resolve);
    await promise;
  }

  close(ending: Ending): void {
    this.ending ??= ending;
    this.cut();
  }

  onClosed(listener: () => void): void {
    if (this.#open) this.#onClosed.push(listener);
    else listener();
  }

  /** Breaks the connection. Events that the client has not taken are lost. */
  cut(): void {
    this.#open = false;
    for (const listener of this.#onClosed.splice(0)) listener();
    for (const listener of this.#onDrained.splice(0)) listener();
  }

  /** Breaks the connection after this many events, even in the middle of a frame. */
  cutAfter(events: number): void {
    this.#eventsLeft = events;
  }

  stop(): void {
    this.#stuck = true;
  }

  resume(): void {
    this.#stuck = false;
    for (const frame of this.#waiting.splice(0)) if (this.#open) this.#take(frame);
    this.backlog = 0;
    for (const listener of this.#onDrained.splice(0)) listener();
  }

  #take(frame: EventFrame): void {
    this.taken += frame.eventStream.length;
    for (const { json, cursor } of frame.events) {
      if (this.#eventsLeft <= 0) return this.cut();
      this.#eventsLeft -= 1;
      this.seen.take(json);
      assert.equal(cursor, this.seen.cursor);
    }
  }
}
