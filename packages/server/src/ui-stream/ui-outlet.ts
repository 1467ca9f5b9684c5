import type { ChatEvent } from '@chatd/protocol';
import { type EncodedEvent, EventFrame } from '../stream/event-frame.ts';
import { ForwardingOutlet } from '../stream/forwarding-outlet.ts';
import type { Ending, Outlet } from '../stream/outlet.ts';
import type { PreparedStream } from '../stream/streams.ts';
import type { UiTurn } from './ui-turn.ts';

const HEADERS = { 'x-vercel-ai-ui-message-stream': 'v1' };

/** Marks a complete stream for front ends. */
const DONE: EncodedEvent = { json: '[DONE]' };

/** The stream of a chat as the UI message stream of one turn. */
export function asUiStream(joining: PreparedStream, turn: UiTurn): PreparedStream {
  return {
    headers: HEADERS,
    cancel: () => joining.cancel(),
    open: (outlet) => joining.open(new UiOutlet(outlet, turn)),
  };
}

/** Translates the events of a chat for its client. */
class UiOutlet extends ForwardingOutlet {
  readonly #turn: UiTurn;

  constructor(outlet: Outlet, turn: UiTurn) {
    super(outlet);
    this.#turn = turn;
  }

  write(frame: EventFrame): void {
    if (this.#turn.over) return;
    const chunks = frame.events
      .flatMap(({ json }) => this.#turn.take(JSON.parse(json) as ChatEvent))
      .map(({ chunk, place }): EncodedEvent => ({ json: JSON.stringify(chunk), cursor: place }));
    if (this.#turn.over) chunks.push(DONE);
    if (chunks.length > 0) this.outlet.write(new EventFrame(chunks));
    if (this.#turn.over) this.outlet.close('complete');
  }

  /** Aborts the connection of an unfinished turn: the client would take a regular end for the end of the turn. */
  override close(ending: Ending): void {
    super.close(this.#turn.over ? ending : 'slow');
  }
}
