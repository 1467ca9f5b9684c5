import { type Clock, systemClock } from '@chatd/loop';
import { frame, type MessageFrame, parseFrame } from '../drivers/host/inside/frames.ts';
import type { Channel } from './channel.ts';
import { LINK_LIMITS, SILENCE_MS } from './limits.ts';

/** The other side violated the protocol. The link is closed. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

export interface LinkOptions {
  readonly channel: Channel;
  readonly clock?: Clock;
}

/** Frames over a channel, until one side closes it, violates the protocol, or falls silent. */
export abstract class LinkBase {
  readonly bytes = { sent: 0, received: 0 };
  protected readonly channel: Channel;
  protected readonly clock: Clock;
  protected lastFrameAt: number;
  #reason: string | undefined;
  readonly #closed = Promise.withResolvers<string>();
  #cancelTimer: () => void = () => undefined;

  constructor({ channel, clock = systemClock }: LinkOptions) {
    this.channel = channel;
    this.clock = clock;
    this.lastFrameAt = clock.now();
  }

  /** Resolves with the reason. */
  get closed(): Promise<string> {
    return this.#closed.promise;
  }

  get closeReason(): string | undefined {
    return this.#reason;
  }

  close(reason: string): void {
    this.channel.close(reason);
    this.#ended(reason);
  }

  protected abstract take(frame: MessageFrame): void;
  protected abstract lost(reason: string): void;
  /** Called every `everyMs`. */
  protected abstract tick(): void;

  /** Call once, at the end of the constructor. */
  protected begin(everyMs: number): void {
    this.channel.onClose((reason) => this.#ended(reason));
    this.channel.onMessage((message) => this.#message(message));
    const again = () => {
      this.#cancelTimer = this.clock.after(everyMs, () => {
        if (this.#reason !== undefined) return;
        if (this.clock.now() - this.lastFrameAt > SILENCE_MS)
          return this.close('the other side is silent');
        this.tick();
        again();
      });
    };
    if (this.#reason === undefined) again();
  }

  protected send(header: object, bytes?: Uint8Array): void {
    if (this.#reason !== undefined) return;
    const message = Buffer.concat(frame(header, bytes) as Uint8Array[]);
    if (message.length > LINK_LIMITS.message) throw tooLong();
    this.bytes.sent += message.length;
    this.channel.send(message);
  }

  /** Sends a body, in parts if it is long. All parts but the last have the header `part`. */
  protected sendBody(part: object, last: object, body: Uint8Array | undefined): void {
    const { part: size } = LINK_LIMITS;
    let rest = body;
    // Before the first part, which would wait for the last.
    if (rest !== undefined && rest.length > size) {
      const [head] = frame(last);
      if (head.length + size > LINK_LIMITS.message) throw tooLong();
    }
    while (rest !== undefined && rest.length > size) {
      this.send(part, rest.subarray(0, size));
      rest = rest.subarray(size);
    }
    this.send(last, rest);
  }

  #message(message: Buffer): void {
    if (this.#reason !== undefined) return;
    this.bytes.received += message.length;
    try {
      if (message.length > LINK_LIMITS.message) throw new ProtocolError('the message is too long');
      const one = parseFrame(message);
      const { header, bytes } = one;
      // Parts and data may be kept, and their whole messages with them.
      const isKept = 's' in header ? bytes.length > 0 : header['part'] === 1;
      if (isKept && message.length - bytes.length > LINK_LIMITS.header)
        throw new ProtocolError('the header is too long');
      this.take(one);
      this.lastFrameAt = this.clock.now();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.close(`protocol error: ${why}`.slice(0, 100));
    }
  }

  #ended(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#cancelTimer();
    this.lost(reason);
    this.#closed.resolve(reason);
  }
}

const tooLong = () => new Error('The message is too long.');

/** A whole number from 0 up. Throws `ProtocolError`. */
export function count(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new ProtocolError(`invalid ${what}`);
}

/** Collects the parts of bodies. The sum of all incomplete ones is bounded. */
export class Bodies {
  readonly #parts = new Map<number, { readonly pieces: Buffer[]; length: number }>();
  #held = 0;

  /** A part that is not the last. */
  add(id: number, bytes: Buffer): void {
    if (bytes.length < LINK_LIMITS.smallestPart) throw new ProtocolError('the part is too short');
    this.#add(id, bytes);
  }

  #add(id: number, bytes: Buffer): void {
    const body = this.#parts.get(id) ?? { pieces: [], length: 0 };
    this.#parts.set(id, body);
    // The bytes are a view of the message, which is not reused.
    body.pieces.push(bytes);
    body.length += bytes.length;
    this.#held += bytes.length;
    if (body.length > LINK_LIMITS.body || this.#held > LINK_LIMITS.bodies)
      throw new ProtocolError('the body is too long');
  }

  take(id: number, last: Buffer): Buffer {
    const body = this.#parts.get(id);
    if (body === undefined) return last;
    this.#add(id, last);
    this.#parts.delete(id);
    this.#held -= body.length;
    return Buffer.concat(body.pieces, body.length);
  }

  clear(): void {
    this.#parts.clear();
    this.#held = 0;
  }
}

/** Bytes that wait until the other side has taken enough of the earlier ones. */
export class OutgoingStream {
  readonly #send: (bytes: Uint8Array, mark: number) => void;
  readonly #waiting: { bytes: Buffer; mark: number }[] = [];
  #credit: number = LINK_LIMITS.window;
  #pending = 0;
  onDrain: () => void = () => undefined;

  constructor(send: (bytes: Uint8Array, mark: number) => void) {
    this.#send = send;
  }

  /** Bytes that wait. */
  get pending(): number {
    return this.#pending;
  }

  write(bytes: Uint8Array, mark = 0): void {
    let rest = bytes;
    if (this.#pending === 0) {
      while (rest.length > 0 && this.#credit > 0) rest = this.#sendSome(rest, mark);
    }
    if (rest.length === 0) return;
    // The caller may reuse its buffer.
    this.#waiting.push({ bytes: Buffer.from(rest), mark });
    this.#pending += rest.length;
  }

  grant(bytes: number): void {
    this.#credit += bytes;
    if (this.#credit > LINK_LIMITS.window) throw new ProtocolError('too much credit');
    if (this.#pending === 0) return;
    for (let first = this.#waiting[0]; first !== undefined && this.#credit > 0;) {
      const rest = this.#sendSome(first.bytes, first.mark) as Buffer;
      this.#pending -= first.bytes.length - rest.length;
      first.bytes = rest;
      if (rest.length === 0) this.#waiting.shift();
      first = this.#waiting[0];
    }
    if (this.#pending === 0) this.onDrain();
  }

  drop(): void {
    this.#waiting.length = 0;
    this.#pending = 0;
  }

  #sendSome(bytes: Uint8Array, mark: number): Uint8Array {
    const length = Math.min(bytes.length, this.#credit, LINK_LIMITS.part);
    this.#credit -= length;
    this.#send(bytes.subarray(0, length), mark);
    return bytes.subarray(length);
  }
}

/** Counts what arrived, and grants more when enough of it is taken. */
export class IncomingWindow {
  readonly #grant: (bytes: number) => void;
  #left: number = LINK_LIMITS.window;
  #taken = 0;

  constructor(grant: (bytes: number) => void) {
    this.#grant = grant;
  }

  arrived(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new ProtocolError('a stream exceeds its window');
  }

  taken(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken < LINK_LIMITS.window / 4) return;
    const bytesTaken = this.#taken;
    this.#taken = 0;
    this.#left += bytesTaken;
    this.#grant(bytesTaken);
  }
}
