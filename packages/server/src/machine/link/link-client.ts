import type { MessageFrame } from '../drivers/host/inside/frames.ts';
import { LinkLost } from './channel.ts';
import { decodeError } from './errors.ts';
import { LINK_LIMITS, PING_MS } from './limits.ts';
import {
  Bodies,
  count,
  IncomingWindow,
  LinkBase,
  type LinkOptions,
  OutgoingStream,
  ProtocolError,
} from './link-base.ts';

export interface RequestOptions {
  readonly bytes?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly result: unknown;
  readonly bytes: Buffer;
}

export interface StreamHandlers {
  /** In order: if it returns a promise, it is called again when that has resolved. `mark` is that of `write`. */
  onData?(bytes: Buffer, mark: number): void | Promise<void>;
  onSay?(message: unknown): void;
  /** Called once, after the answer: with what the other side ended the stream, or why it broke. */
  onEnd(end: { readonly value: unknown } | { readonly error: Error }): void;
}

/** The stream of an answered request, until `onEnd`. */
export interface ClientStream {
  /** Ends the stream if too much waits: a sender of much data waits for `drained` after each write. */
  write(bytes: Uint8Array): void;
  /** Resolves when nothing waits any more, or the stream has ended. */
  drained(): Promise<void>;
  tell(message: object): void;
  /** The other side ends the stream. No handler is called any more. */
  leave(): void;
}

interface OpenRequest {
  resolve(answer: Answer): void;
  reject(error: Error): void;
  readonly stream: OpenStream | undefined;
  isAnswered: boolean;
  hasEnded: boolean;
}

interface OpenStream {
  readonly handlers: StreamHandlers;
  readonly window: IncomingWindow;
  readonly outgoing: OutgoingStream;
  /** What arrived while `onData` was busy: data and the end. Bounded by the window. */
  readonly waiting: (() => void | Promise<void>)[];
  isBusy: boolean;
  hasLeft: boolean;
  drained: PromiseWithResolvers<void> | undefined;
}

export interface LinkClientOptions extends LinkOptions {
  readonly pingMs?: number;
  readonly onRoundTrip?: (ms: number) => void;
  /** The W3C trace context of the current work. */
  readonly traceparent?: () => string | undefined;
}

/** The side of a link that makes requests. It believes nothing: a frame that it does not expect closes the link. */
export class LinkClient extends LinkBase {
  readonly #options: LinkClientOptions;
  readonly #open = new Map<number, OpenRequest>();
  readonly #bodies = new Bodies();
  #lastId = 0;
  #pingAt: number | undefined;

  constructor(options: LinkClientOptions) {
    super(options);
    this.#options = options;
    this.begin(options.pingMs ?? PING_MS);
  }

  get openRequests(): number {
    return this.#open.size;
  }

  /** Rejects with the error of the other side, with `LinkLost`, or with the reason of `signal`. */
  async request(op: string, params: object, options: RequestOptions = {}): Promise<Answer> {
    return await this.#start(op, params, options, undefined).answer;
  }

  /** Resolves with the answer, after which the stream is open. */
  async open(
    op: string,
    params: object,
    options: RequestOptions & StreamHandlers,
  ): Promise<Answer & { readonly stream: ClientStream }> {
    const stream: OpenStream = {
      handlers: options,
      window: new IncomingWindow((credit) => this.send({ s: id, credit })),
      outgoing: new OutgoingStream((bytes) => this.send({ s: id }, bytes)),
      waiting: [],
      isBusy: false,
      hasLeft: false,
      drained: undefined,
    };
    stream.outgoing.onDrain = () => resume(stream);
    const { id, answer } = this.#start(op, params, options, stream);
    const isOpen = () => this.#open.get(id)?.stream === stream && !stream.hasLeft;
    const leave = () => {
      if (isOpen()) this.#leave(id, stream);
    };
    return {
      ...(await answer),
      stream: {
        write: (bytes) => {
          if (!isOpen()) return;
          stream.outgoing.write(bytes);
          if (stream.outgoing.pending <= LINK_LIMITS.input) return;
          leave();
          options.onEnd({ error: new LinkLost('The other side does not read its input.') });
        },
        drained: async () => {
          if (!isOpen() || stream.outgoing.pending === 0) return;
          stream.drained ??= Promise.withResolvers<void>();
          await stream.drained.promise;
        },
        tell: (tell) => {
          if (isOpen()) this.send({ s: id, tell });
        },
        leave,
      },
    };
  }

  protected tick(): void {
    if (this.channel.backlog > 2 * LINK_LIMITS.bodies)
      return this.close('the other side does not read');
    if (this.#pingAt === undefined) this.#pingAt = performance.now();
    this.send({ ping: 1 });
  }

  protected take({ header, bytes }: MessageFrame): void {
    if ('re' in header) return this.#answered(header, bytes);
    if ('s' in header) return this.#streamed(header, bytes);
    if (header['pong'] !== 1) throw new ProtocolError('unknown frame');
    if (header['unasked'] === 1) return;
    if (this.#pingAt !== undefined) this.#options.onRoundTrip?.(performance.now() - this.#pingAt);
    this.#pingAt = undefined;
  }

  protected lost(reason: string): void {
    const error = new LinkLost(`The connection was lost: ${reason}.`);
    const all = [...this.#open.values()];
    this.#open.clear();
    this.#bodies.clear();
    for (const request of all) {
      const { isAnswered, stream } = request;
      if (stream !== undefined) {
        stream.waiting.length = 0;
        resume(stream);
      }
      if (!isAnswered) request.reject(error);
      else if (stream?.hasLeft === false) stream.handlers.onEnd({ error });
    }
  }

  #start(
    op: string,
    params: object,
    { bytes, signal }: RequestOptions,
    stream: OpenStream | undefined,
  ): { readonly id: number; readonly answer: Promise<Answer> } {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const refuse = (error: Error) => {
      reject(error);
      return { id, answer: promise };
    };
    if (signal?.aborted === true) return refuse(signal.reason as Error);
    if (this.closeReason !== undefined)
      return refuse(new LinkLost(`The connection was lost: ${this.closeReason}.`));
    if (this.#open.size >= LINK_LIMITS.requests)
      return refuse(new Error(`${LINK_LIMITS.requests} requests to the machine are unanswered.`));
    if ((bytes?.length ?? 0) > LINK_LIMITS.body)
      return refuse(new Error(`More than ${LINK_LIMITS.body} bytes for a machine at once.`));
    if (this.channel.backlog + (bytes?.length ?? 0) > LINK_LIMITS.bodies)
      return refuse(new Error('The machine does not read what it is sent.'));
    const abort = () => {
      if (!this.#open.has(id)) return;
      this.send({ id, cancel: 1 });
      if (stream !== undefined) stream.hasLeft = true;
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', abort, { once: true });
    const settle = () => signal?.removeEventListener('abort', abort);
    this.#open.set(id, {
      resolve: (answer) => {
        settle();
        resolve(answer);
      },
      reject: (error) => {
        settle();
        reject(error);
      },
      stream,
      isAnswered: false,
      hasEnded: false,
    });
    const trace = this.#options.traceparent?.();
    try {
      this.sendBody({ id, part: 1 }, { id, op, p: params, ...(trace && { trace }) }, bytes);
    } catch (error) {
      this.#open.delete(id);
      settle();
      reject(error);
    }
    return { id, answer: promise };
  }

  #answered(header: MessageFrame['header'], bytes: Buffer): void {
    const id = count(header['re'], 'request');
    const request = this.#open.get(id);
    if (request === undefined || request.isAnswered)
      throw new ProtocolError('an answer without a request');
    if (header['part'] === 1) return this.#bodies.add(id, bytes);
    const body = this.#bodies.take(id, bytes);
    const isError = 'error' in header;
    if (!isError && (header['st'] === 1) !== (request.stream !== undefined))
      throw new ProtocolError('an answer of the wrong type');
    if (isError || request.stream === undefined) this.#open.delete(id);
    if (isError) return request.reject(decodeError(header['error']));
    request.isAnswered = true;
    // Canceled meanwhile.
    if (request.stream?.hasLeft === true) this.send({ s: id, leave: 1 });
    request.resolve({ result: header['ok'], bytes: body });
  }

  #streamed(header: MessageFrame['header'], bytes: Buffer): void {
    const id = count(header['s'], 'stream');
    const request = this.#open.get(id);
    const stream = request?.stream;
    if (request === undefined || stream === undefined)
      throw new ProtocolError('a frame without a stream');
    if ('credit' in header) return stream.outgoing.grant(count(header['credit'], 'credit'));
    if ('end' in header || 'error' in header) {
      if (!request.isAnswered || request.hasEnded)
        throw new ProtocolError('a stream ends before its answer, or twice');
      const end =
        'error' in header ? { error: decodeError(header['error']) } : { value: header['end'] };
      request.hasEnded = true;
      resume(stream);
      if (stream.hasLeft) return void this.#open.delete(id);
      return inOrder(stream, () => {
        this.#open.delete(id);
        if (!stream.hasLeft) stream.handlers.onEnd(end);
      });
    }
    if (request.hasEnded) throw new ProtocolError('a frame after the end of its stream');
    if ('say' in header) return stream.hasLeft ? undefined : stream.handlers.onSay?.(header['say']);
    if (bytes.length === 0) throw new ProtocolError('unknown frame of a stream');
    stream.window.arrived(bytes.length);
    if (stream.hasLeft) return;
    const mark = header['k'] === undefined ? 0 : count(header['k'], 'mark');
    inOrder(stream, () => {
      const taken = stream.handlers.onData?.(bytes, mark);
      if (taken === undefined) return stream.window.taken(bytes.length);
      return taken.then(() => stream.window.taken(bytes.length));
    });
  }

  #leave(id: number, stream: OpenStream): void {
    stream.hasLeft = true;
    stream.waiting.length = 0;
    stream.outgoing.drop();
    resume(stream);
    if (this.#open.get(id)?.hasEnded === true) this.#open.delete(id);
    else this.send({ s: id, leave: 1 });
  }
}

function resume(stream: OpenStream): void {
  stream.drained?.resolve();
  stream.drained = undefined;
}

/** Runs `act` when those before it are done. */
function inOrder(stream: OpenStream, act: () => void | Promise<void>): void {
  if (stream.isBusy) {
    stream.waiting.push(act);
    return;
  }
  const taken = act();
  if (taken === undefined) return;
  stream.isBusy = true;
  const goOn = () => {
    stream.isBusy = false;
    while (!stream.isBusy) {
      const waiting = stream.waiting.shift();
      if (waiting === undefined) return;
      inOrder(stream, waiting);
    }
  };
  taken.then(goOn, goOn);
}
