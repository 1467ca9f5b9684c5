import type { ChatError, ChatEvent } from '@chatd/protocol';
import { errorForGuest } from '../chat/guest-error.ts';
import type { EventPayload } from './plan-events.ts';

/** An event as JSON, and the cursor of a client that has received it. */
export interface EncodedEvent {
  readonly json: string;
  /** Absent for streams that cannot be resumed. */
  readonly cursor?: string;
  /** The `event:` field of Server-Sent Events. Absent: `message`. */
  readonly name?: string;
}

/** Events that are written together. Each encoding is made once for all clients, when the first one needs it. */
export class EventFrame {
  /** The events of a chat before they are encoded. Empty for other events. */
  readonly payloads: readonly EventPayload[];
  readonly #encode: () => readonly EncodedEvent[];
  #events: readonly EncodedEvent[] | undefined;
  #eventStream: Buffer | undefined;
  #eventStreamChunk: Buffer | undefined;
  #webSocket: Buffer | undefined;
  #withoutCosts: EventFrame | undefined;

  constructor(
    events: readonly EncodedEvent[] | (() => readonly EncodedEvent[]),
    payloads: readonly EventPayload[] = [],
  ) {
    this.#encode = typeof events === 'function' ? events : () => events;
    this.payloads = payloads;
  }

  get events(): readonly EncodedEvent[] {
    this.#events ??= this.#encode();
    return this.#events;
  }

  /** As server-sent events. JSON has no line breaks. */
  get eventStream(): Buffer {
    this.#eventStream ??= Buffer.from(this.events.map(asServerSentEvent).join(''));
    return this.#eventStream;
  }

  /** As one HTTP/1.1 chunk. */
  get eventStreamChunk(): Buffer {
    const { eventStream } = this;
    this.#eventStreamChunk ??= Buffer.concat([
      Buffer.from(`${eventStream.length.toString(16)}\r\n`),
      eventStream,
      Buffer.from('\r\n'),
    ]);
    return this.#eventStreamChunk;
  }

  /** Such an event is always alone. */
  get isAboutViewers(): boolean {
    return this.events[0]?.json.startsWith('{"type":"viewers",') === true;
  }

  /** For clients that do not own the chat. */
  get withoutCosts(): EventFrame {
    if (this.#withoutCosts === undefined && this.events.some(hasCost)) {
      const events = this.events.map(withoutCost);
      const payloads = events.map(({ json }): EventPayload => {
        const { chat_id: _, cursor: __, ...payload } = JSON.parse(json) as ChatEvent;
        return payload;
      });
      this.#withoutCosts = new EventFrame(events, payloads);
    }
    this.#withoutCosts ??= this;
    return this.#withoutCosts;
  }

  /** As WebSocket messages. */
  get webSocket(): Buffer {
    this.#webSocket ??= Buffer.concat(this.events.flatMap(({ json }) => asMessage(json)));
    return this.#webSocket;
  }
}

const isError = ({ json }: EncodedEvent) => json.startsWith('{"type":"error",');
/** Other events have no costs. */
const hasCost = (event: EncodedEvent) =>
  isError(event) ||
  (event.json.startsWith('{"type":"message",') && event.json.includes('"cost_micros":'));

function withoutCost(event: EncodedEvent): EncodedEvent {
  if (!hasCost(event)) return event;
  if (isError(event)) {
    const whole = JSON.parse(event.json) as { readonly error: ChatError };
    return { ...event, json: JSON.stringify({ ...whole, error: errorForGuest(whole.error) }) };
  }
  const { message, ...rest } = JSON.parse(event.json) as { readonly message: object };
  return {
    ...event,
    json: JSON.stringify({ ...rest, message: { ...message, cost_micros: undefined } }),
  };
}

function asServerSentEvent({ json, cursor, name }: EncodedEvent): string {
  if (name !== undefined) return `event: ${name}\ndata: ${json}\n\n`;
  return cursor === undefined ? `data: ${json}\n\n` : `id: ${cursor}\ndata: ${json}\n\n`;
}

/** A whole text message in one unmasked frame, as servers send them (RFC 6455, section 5.2). */
const FINAL_TEXT = 0x81;
const SHORT = 125;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

function asMessage(json: string): [Buffer, Buffer] {
  const payload = Buffer.from(json);
  const { length } = payload;
  if (length <= SHORT) return [Buffer.from([FINAL_TEXT, length]), payload];
  if (length <= 0xff_ff) {
    const header = Buffer.from([FINAL_TEXT, LENGTH_16, 0, 0]);
    header.writeUInt16BE(length, 2);
    return [header, payload];
  }
  const header = Buffer.alloc(10);
  header.writeUInt8(FINAL_TEXT, 0);
  header.writeUInt8(LENGTH_64, 1);
  header.writeBigUInt64BE(BigInt(length), 2);
  return [header, payload];
}
