import { type EncodedEvent, EventFrame } from '../stream/event-frame.ts';
import type { Ending, Outlet } from '../stream/outlet.ts';
import type { EventPayload } from '../stream/plan-events.ts';
import type { PreparedStream } from '../stream/streams.ts';

/** Translates the events of a chat for one client. */
export interface TurnEncoder {
  readonly over: boolean;
  start(): readonly EncodedEvent[];
  take(event: EventPayload): readonly EncodedEvent[];
}

/** The stream of a chat in the format of the encoder. `onEnd` is called when it is closed. */
export const encodedStream = (
  joining: PreparedStream,
  encoder: TurnEncoder,
  onEnd?: () => void,
): PreparedStream => ({
  cancel: () => {
    joining.cancel();
    onEnd?.();
  },
  open: (outlet) => {
    if (onEnd !== undefined) outlet.onClosed(onEnd);
    const encoding = new EncodingOutlet(outlet, encoder);
    encoding.start();
    joining.open(encoding);
  },
});

/** Follows a stream to its end without sending it. Rejects nothing: `over` tells whether the turn has ended. */
export async function followToEnd(
  joining: PreparedStream,
  encoder: TurnEncoder,
  onGone: (listener: () => void) => void,
): Promise<void> {
  const outlet = new SilentOutlet();
  onGone(() => outlet.close());
  encodedStream(joining, encoder).open(outlet);
  await outlet.closed;
}

class EncodingOutlet implements Outlet {
  readonly #outlet: Outlet;
  readonly #encoder: TurnEncoder;

  constructor(outlet: Outlet, encoder: TurnEncoder) {
    this.#outlet = outlet;
    this.#encoder = encoder;
  }

  get kind(): Outlet['kind'] {
    return this.#outlet.kind;
  }

  get backlog(): number {
    return this.#outlet.backlog;
  }

  get taken(): number {
    return this.#outlet.taken;
  }

  start(): void {
    this.#send(this.#encoder.start());
  }

  write({ payloads }: EventFrame): void {
    if (this.#encoder.over) return;
    this.#send(payloads.flatMap((event) => this.#encoder.take(event)));
    if (this.#encoder.over) this.#outlet.close('complete');
  }

  keepAlive(): void {
    this.#outlet.keepAlive();
  }

  drained(): Promise<void> {
    return this.#outlet.drained();
  }

  /** Aborts the connection of an unfinished turn: the client would take a regular end for the end of the turn. */
  close(ending: Ending): void {
    this.#outlet.close(this.#encoder.over ? ending : 'slow');
  }

  onClosed(listener: () => void): void {
    this.#outlet.onClosed(listener);
  }

  #send(events: readonly EncodedEvent[]): void {
    if (events.length > 0) this.#outlet.write(new EventFrame(events));
  }
}

/** Takes everything at once. */
class SilentOutlet implements Outlet {
  readonly kind = 'sse';
  readonly backlog = 0;
  readonly taken = 0;
  readonly closed: Promise<void>;
  readonly #close: () => void;
  readonly #listeners: (() => void)[] = [];
  #isClosed = false;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#close = resolve;
  }

  write(): void {
    return undefined;
  }

  keepAlive(): void {
    return undefined;
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#close();
    for (const listener of this.#listeners) listener();
  }

  onClosed(listener: () => void): void {
    if (this.#isClosed) listener();
    else this.#listeners.push(listener);
  }
}
