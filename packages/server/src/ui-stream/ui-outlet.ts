import type { ChatEvent } from '@chatd/protocol';
import { type EncodedEvent, Frame } from '../stream/frame.ts';
import type { Ending, Outlet } from '../stream/outlet.ts';
import type { Joining } from '../stream/streams.ts';
import type { UiTurn } from './ui-turn.ts';

const HEADERS = { 'x-vercel-ai-ui-message-stream': 'v1' };

/** How front ends know that nothing was lost. */
const DONE: EncodedEvent = { json: '[DONE]' };

/** The stream of a chat, told as one turn of a UI message. */
export function asUiStream(joining: Joining, turn: UiTurn): Joining {
  return {
    headers: HEADERS,
    cancel: () => joining.cancel(),
    open: (outlet) => joining.open(new UiOutlet(outlet, turn)),
  };
}

/** Goes between the stream of a chat and its client. */
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

  write(frame: Frame): void {
    if (this.#turn.over) return;
    const chunks = frame.events
      .flatMap(({ json }) => this.#turn.take(JSON.parse(json) as ChatEvent))
      .map(({ chunk, place }): EncodedEvent => ({ json: JSON.stringify(chunk), cursor: place }));
    if (this.#turn.over) chunks.push(DONE);
    if (chunks.length > 0) this.#outlet.write(new Frame(chunks));
    if (this.#turn.over) this.#outlet.close('gone');
  }

  keepAlive(): void {
    this.#outlet.keepAlive();
  }

  drained(): Promise<void> {
    return this.#outlet.drained();
  }

  /** An end that looks like one would be taken for the end of the turn: whoever is sent away early is cut off. */
  close(ending: Ending): void {
    this.#outlet.close(this.#turn.over ? ending : 'slow');
  }

  onClosed(listener: () => void): void {
    this.#outlet.onClosed(listener);
  }
}
