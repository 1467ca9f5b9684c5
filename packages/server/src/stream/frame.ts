/** One event as it goes out: its JSON, and the cursor of whoever has it. */
export interface EncodedEvent {
  readonly json: string;
  /** Absent where there is nothing to come back to. */
  readonly cursor?: string;
}

/**
 * Events that are written together. Made once for all clients that get them; each form is made when the first client
 * needs it.
 */
export class Frame {
  readonly events: readonly EncodedEvent[];
  #eventStream: Buffer | undefined;
  #eventStreamChunk: Buffer | undefined;
  #webSocket: Buffer | undefined;

  constructor(events: readonly EncodedEvent[]) {
    this.events = events;
  }

  /** As Server-Sent Events. JSON has no line breaks of its own. */
  get eventStream(): Buffer {
    this.#eventStream ??= Buffer.from(this.events.map(asServerSentEvent).join(''));
    return this.#eventStream;
  }

  /** The same as one chunk of HTTP/1.1. */
  get eventStreamChunk(): Buffer {
    const { eventStream } = this;
    this.#eventStreamChunk ??= Buffer.concat([
      Buffer.from(`${eventStream.length.toString(16)}\r\n`),
      eventStream,
      Buffer.from('\r\n'),
    ]);
    return this.#eventStreamChunk;
  }

  /** As messages of a WebSocket. */
  get webSocket(): Buffer {
    this.#webSocket ??= Buffer.concat(this.events.flatMap(({ json }) => asMessage(json)));
    return this.#webSocket;
  }
}

const asServerSentEvent = ({ json, cursor }: EncodedEvent) =>
  cursor === undefined ? `data: ${json}\n\n` : `id: ${cursor}\ndata: ${json}\n\n`;

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
