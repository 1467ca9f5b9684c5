import type { MessageFrame } from '../drivers/host/inside/frames.ts';
import { LinkLost } from './channel.ts';
import { encodeError } from './errors.ts';
import { LINK_LIMITS, PING_MS, STALE_MS } from './limits.ts';
import {
  Bodies,
  count,
  IncomingWindow,
  LinkBase,
  type LinkOptions,
  OutgoingStream,
  ProtocolError,
} from './link-base.ts';

export interface ServedRequest {
  readonly op: string;
  readonly params: unknown;
  readonly bytes: Buffer;
  readonly trace: string | undefined;
  /** Aborted when the request is canceled, or the link is lost, before it is answered. */
  readonly signal: AbortSignal;
  /** To be used if the answer has `stream: true`. Data may be written before the answer. */
  readonly stream: ServedStream;
}

export interface ServedAnswer {
  readonly result?: unknown;
  readonly bytes?: Uint8Array | undefined;
  readonly stream?: true;
}

export type Serve = (request: ServedRequest) => Promise<ServedAnswer>;

/** The traces that requests to a machine are part of. */
export interface LinkTraces {
  /** The W3C trace context of the current work. */
  traceparent(): string | undefined;
  machineRequest<T>(
    operation: string,
    traceparent: string | undefined,
    answer: () => Promise<T>,
  ): Promise<T>;
}

/** Answers each request as part of its trace. */
export const traced =
  (serve: Serve, traces: LinkTraces | undefined): Serve =>
  (request) =>
    traces === undefined
      ? serve(request)
      : traces.machineRequest(request.op, request.trace, () => serve(request));

/** The side of a link that answers requests. */
export class LinkServer extends LinkBase {
  readonly #serve: Serve;
  readonly #open = new Map<number, Served>();
  readonly #bodies = new Bodies();
  #lastId = 0;
  #wasPinged = false;

  constructor(options: LinkOptions & { readonly serve: Serve }) {
    super(options);
    this.#serve = options.serve;
    this.begin(PING_MS);
  }

  get openRequests(): number {
    return this.#open.size;
  }

  protected tick(): void {
    // The client pings. A long body can delay its pings for longer than it bears silence.
    if (!this.#wasPinged) this.send({ pong: 1, unasked: 1 });
    this.#wasPinged = false;
  }

  protected take({ header, bytes }: MessageFrame): void {
    // This side or the network was frozen: the client may have given up what arrives now.
    if (this.clock.now() - this.lastFrameAt > STALE_MS)
      throw new ProtocolError('frames arrive late');
    if (header['ping'] === 1) {
      this.#wasPinged = true;
      return this.send({ pong: 1 });
    }
    if ('s' in header) return this.#streamed(header, bytes);
    const id = count(header['id'], 'request');
    if (header['cancel'] === 1) return this.#open.get(id)?.cancel();
    if (id < this.#lastId) throw new ProtocolError('requests out of order');
    if (header['part'] === 1) {
      this.#lastId = id;
      return this.#bodies.add(id, bytes);
    }
    if (this.#open.has(id)) throw new ProtocolError('a request twice');
    this.#lastId = id;
    if (this.#open.size >= LINK_LIMITS.requests) throw new ProtocolError('too many requests');
    const { op, p, trace } = header;
    if (typeof op !== 'string') throw new ProtocolError('a request without an operation');
    const served = new Served(
      (frame, body) => this.send({ s: id, ...frame }, body),
      () => this.#open.delete(id),
    );
    this.#open.set(id, served);
    void this.#answer(id, served, {
      op,
      params: p,
      bytes: this.#bodies.take(id, bytes),
      trace: typeof trace === 'string' && trace.length <= 100 ? trace : undefined,
      signal: served.signal,
      stream: served,
    });
  }

  protected lost(reason: string): void {
    const all = [...this.#open.values()];
    this.#open.clear();
    this.#bodies.clear();
    for (const served of all) served.lost(reason);
  }

  async #answer(id: number, served: Served, request: ServedRequest): Promise<void> {
    const part = { re: id, part: 1 };
    try {
      const { result = null, bytes, stream } = await this.#serve(request);
      this.sendBody(part, { re: id, ok: result, ...(stream === true && { st: 1 }) }, bytes);
      if (stream === true) served.answered();
      else this.#open.delete(id);
    } catch (error) {
      this.send({ re: id, error: encodeError(error) });
      this.#open.delete(id);
      served.failed();
    }
  }

  #streamed(header: MessageFrame['header'], bytes: Buffer): void {
    const id = count(header['s'], 'stream');
    if (id === 0 || id > this.#lastId) throw new ProtocolError('a frame without a stream');
    // It may have ended meanwhile.
    const served = this.#open.get(id);
    if (served === undefined) return;
    if ('credit' in header) served.credit(count(header['credit'], 'credit'));
    else if (header['leave'] === 1) served.leave();
    else if ('tell' in header) served.told(header['tell']);
    else served.data(bytes);
  }
}

/** The stream of a request, seen from the side that answers. */
export interface ServedStream {
  /** The bytes may be split. Each piece has the mark. */
  write(bytes: Uint8Array, mark?: number): void;
  /** A short message, which does not wait for the data before it. */
  say(message: object): void;
  /** Bytes that wait until the client takes them. */
  readonly pending: number;
  /** Ends the stream after what was written. */
  end(value: unknown): void;
  fail(error: unknown): void;
  /** Resolves when nothing waits any more, or the client has left. */
  drained(): Promise<void>;
  /** The client may send more when a returned promise has resolved. */
  onData(listener: (bytes: Buffer) => void | Promise<void>): void;
  onTell(listener: (message: unknown) => void): void;
  /** Called once if the client leaves, or its link is lost, before the end. */
  onLeave(listener: () => void): void;
}

class Served implements ServedStream {
  readonly #send: (frame: object, bytes?: Uint8Array) => void;
  readonly #onEnd: () => void;
  readonly #aborter = new AbortController();
  readonly #outgoing: OutgoingStream;
  readonly #window: IncomingWindow;
  #listeners: {
    data?: (bytes: Buffer) => void | Promise<void>;
    tell?: (message: unknown) => void;
    leave?: () => void;
  } = {};
  #drained: PromiseWithResolvers<void> | undefined;
  #isAnswered = false;
  #hasEnded = false;
  #hasLeft = false;
  #end: object | undefined;

  constructor(send: (frame: object, bytes?: Uint8Array) => void, onEnd: () => void) {
    this.#send = send;
    this.#onEnd = onEnd;
    this.#window = new IncomingWindow((credit) => send({ credit }));
    this.#outgoing = new OutgoingStream((bytes, mark) =>
      send(mark === 0 ? {} : { k: mark }, bytes),
    );
    this.#outgoing.onDrain = () => {
      this.#resume();
      this.#finish();
    };
  }

  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  get pending(): number {
    return this.#outgoing.pending;
  }

  write(bytes: Uint8Array, mark = 0): void {
    if (!this.#hasEnded && !this.#hasLeft && this.#end === undefined)
      this.#outgoing.write(bytes, mark);
  }

  say(message: object): void {
    if (!this.#hasEnded && !this.#hasLeft) this.#send({ say: message });
  }

  end(value: unknown): void {
    this.#end ??= { end: value ?? null };
    this.#finish();
  }

  fail(error: unknown): void {
    this.#end ??= { error: encodeError(error) };
    this.#finish();
  }

  async drained(): Promise<void> {
    if (this.pending === 0) return;
    this.#drained ??= Promise.withResolvers<void>();
    await this.#drained.promise;
  }

  onData(listener: (bytes: Buffer) => void | Promise<void>): void {
    this.#listeners.data = listener;
  }

  onTell(listener: (message: unknown) => void): void {
    this.#listeners.tell = listener;
  }

  onLeave(listener: () => void): void {
    if (this.#hasLeft) listener();
    else this.#listeners.leave = listener;
  }

  answered(): void {
    this.#isAnswered = true;
    if (this.#hasLeft) this.#end ??= { end: null };
    this.#finish();
  }

  failed(): void {
    this.#hasEnded = true;
    this.#left();
  }

  cancel(): void {
    if (!this.#isAnswered) this.#aborter.abort(new Error('The request was canceled.'));
  }

  leave(): void {
    this.#left();
    this.#end ??= { end: null };
    this.#finish();
  }

  lost(reason: string): void {
    this.#hasEnded = true;
    this.#aborter.abort(new LinkLost(`The connection was lost: ${reason}.`));
    this.#left();
  }

  credit(bytes: number): void {
    this.#outgoing.grant(bytes);
  }

  told(message: unknown): void {
    this.#listeners.tell?.(message);
  }

  data(bytes: Buffer): void {
    this.#window.arrived(bytes.length);
    const taken = this.#listeners.data?.(bytes);
    const grant = () => {
      if (!this.#hasEnded) this.#window.taken(bytes.length);
    };
    if (taken === undefined) grant();
    else void taken.then(grant, grant);
  }

  #left(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#outgoing.drop();
    const { leave } = this.#listeners;
    this.#listeners = {};
    this.#resume();
    leave?.();
  }

  #resume(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }

  #finish(): void {
    if (!this.#isAnswered || this.#hasEnded || this.#end === undefined || this.pending > 0) return;
    this.#hasEnded = true;
    this.#send(this.#end);
    this.#onEnd();
    this.#listeners = {};
  }
}
