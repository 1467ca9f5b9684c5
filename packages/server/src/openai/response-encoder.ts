import type { TurnEncoder } from '../protocols/turn-stream.ts';
import type { EncodedEvent, EventFrame } from '../stream/event-frame.ts';
import type { ResponseEvent, ResponseTurn } from './response-turn.ts';

/** The stream of the Responses API. */
export class ResponseEncoder implements TurnEncoder {
  readonly #turn: ResponseTurn;
  /** The last response in an event. The first two events have the same one. */
  #response: unknown;
  #json = '';

  constructor(turn: ResponseTurn) {
    this.#turn = turn;
  }

  get over(): boolean {
    return this.#turn.over;
  }

  start(): EncodedEvent[] {
    return this.#turn.start().map(this.#encode);
  }

  take({ payloads }: EventFrame): EncodedEvent[] {
    return payloads.flatMap((event) => this.#turn.take(event).map(this.#encode));
  }

  readonly #encode = (event: ResponseEvent): EncodedEvent => {
    const { type: name, response, sequence_number: number } = event;
    if (response === undefined) return { name, json: JSON.stringify(event) };
    if (response !== this.#response) {
      this.#response = response;
      this.#json = JSON.stringify(response);
    }
    const json = `{"type":"${name}","response":${this.#json},"sequence_number":${number}}`;
    return { name, json };
  };
}
