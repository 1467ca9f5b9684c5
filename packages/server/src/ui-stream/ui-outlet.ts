import type { ChatEvent } from '@chatd/protocol';
import { type EncodedEvent, EventFrame } from '../stream/event-frame.ts';
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
class UiOutlet implements Outlet {
  readonly #outlet: Outlet;
  readonly #turn: UiTurn;

  constructor(outlet: Outlet, turn: UiTurn) {
    this.#outlet = outlet;
    this.#turn = turn;
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

  write(frame: EventFrame): void {
    if (this.#turn.over) return;
    const chunks = frame.events
      .flatMap(({ json }) => this.#turn.take(JSON.parse(json) as ChatEvent))
      .map(({ chunk, place }): EncodedEvent => ({ json: JSON.stringify(chunk), cursor: place }));
    if (this.#turn.over) chunks.push(DONE);
    if (chunks.length > 0) this.#outlet.write(new EventFrame(chunks));
    if (this.#turn.over) this.#outlet.close('complete');
  }

  keepAlive(): void {
    this.#outlet.keepAlive();
  }

  drained(): Promise<void> {
    return this.#outlet.drained();
  }

  /** Aborts the connection of an unfinished turn: the client would take a regular end for the end of the turn. */
  close(ending: Ending): void {
    this.#outlet.close(this.#turn.over ? ending : 'slow');
  }

  onClosed(listener: () => void): void {
    this.#outlet.onClosed(listener);
  }
}
