import { type EncodedEvent, EventFrame } from '../stream/event-frame.ts';
import { ForwardingOutlet } from '../stream/forwarding-outlet.ts';
import { LocalOutlet } from '../stream/local-outlet.ts';
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
  const outlet = new LocalOutlet();
  onGone(() => outlet.close());
  encodedStream(joining, encoder).open(outlet);
  await outlet.closed;
}

class EncodingOutlet extends ForwardingOutlet {
  readonly #encoder: TurnEncoder;

  constructor(outlet: Outlet, encoder: TurnEncoder) {
    super(outlet);
    this.#encoder = encoder;
  }

  start(): void {
    this.#send(this.#encoder.start());
  }

  write({ payloads }: EventFrame): void {
    if (this.#encoder.over) return;
    this.#send(payloads.flatMap((event) => this.#encoder.take(event)));
    if (this.#encoder.over) this.outlet.close('complete');
  }

  /** Aborts the connection of an unfinished turn: the client would take a regular end for the end of the turn. */
  override close(ending: Ending): void {
    super.close(this.#encoder.over ? ending : 'slow');
  }

  #send(events: readonly EncodedEvent[]): void {
    if (events.length > 0) this.outlet.write(new EventFrame(events));
  }
}
