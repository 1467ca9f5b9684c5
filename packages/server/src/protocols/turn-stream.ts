import { type EncodedEvent, EventFrame } from '../stream/event-frame.ts';
import { ForwardingOutlet } from '../stream/forwarding-outlet.ts';
import { LocalOutlet } from '../stream/local-outlet.ts';
import type { Ending, Outlet } from '../stream/outlet.ts';
import type { PreparedStream } from '../stream/streams.ts';

/** Translates the stream of a chat for one client of a protocol. */
export interface TurnEncoder {
  /** The turn has ended, and with it the stream. */
  readonly over: boolean;
  /** A regular end does not tell the client that the turn has ended. */
  readonly canEndEarly?: boolean;
  /** The events before those of the chat. */
  start?(): readonly EncodedEvent[];
  take(frame: EventFrame): readonly EncodedEvent[];
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

/** Reads a stream in this process until `read` returns true, the stream ends, or `onGone` calls its listener. */
export async function followTurn(
  joining: PreparedStream,
  read: (frame: EventFrame) => boolean,
  onGone: (leave: () => void) => void = () => undefined,
): Promise<void> {
  const outlet: LocalOutlet = new LocalOutlet((frame) => {
    if (read(frame)) outlet.close();
  });
  onGone(() => outlet.close());
  joining.open(outlet);
  await outlet.closed;
}

class EncodingOutlet extends ForwardingOutlet {
  readonly #encoder: TurnEncoder;

  constructor(outlet: Outlet, encoder: TurnEncoder) {
    super(outlet);
    this.#encoder = encoder;
  }

  start(): void {
    this.#send(this.#encoder.start?.() ?? []);
  }

  write(frame: EventFrame): void {
    if (this.#encoder.over) return;
    this.#send(this.#encoder.take(frame));
    if (this.#encoder.over) this.outlet.close('complete');
  }

  /** Aborts the connection of an unfinished turn: the client would take a regular end for the end of the turn. */
  override close(ending: Ending): void {
    const { over, canEndEarly = false } = this.#encoder;
    super.close(over || (canEndEarly && ending === 'complete') ? ending : 'slow');
  }

  #send(events: readonly EncodedEvent[]): void {
    if (events.length > 0) this.outlet.write(new EventFrame(events));
  }
}
