import type { EncodedEvent } from '../stream/event-frame.ts';
import type { EventPayload } from '../stream/plan-events.ts';
import type { ResponseEvent, ResponseTurn } from './response-turn.ts';
import type { TurnEncoder } from './turn-outlet.ts';

/** The stream of the Responses API. */
export class ResponseEncoder implements TurnEncoder {
  readonly #turn: ResponseTurn;

  constructor(turn: ResponseTurn) {
    this.#turn = turn;
  }

  get over(): boolean {
    return this.#turn.over;
  }

  start(): EncodedEvent[] {
    return this.#turn.start().map(encoded);
  }

  take(event: EventPayload): EncodedEvent[] {
    return this.#turn.take(event).map(encoded);
  }
}

const encoded = (event: ResponseEvent): EncodedEvent => ({
  name: event.type,
  json: JSON.stringify(event),
});
