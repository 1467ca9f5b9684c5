import { type Clock, systemClock } from '@chatd/protocol/clock';
import { backoffMs } from '../backoff.ts';

export type SocketState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** The connection is lost. The next attempt starts at `until`, in milliseconds since the Unix epoch. */
  | { readonly kind: 'waiting'; readonly until: number; readonly attempt: number }
  | { readonly kind: 'refused'; readonly reason: string };

export interface ReconnectingSocketOptions {
  /** Called before each connection, so that the URL can name the last event received. `http` becomes `ws`. */
  readonly url: () => URL;
  readonly onMessage?: ((data: string | Uint8Array<ArrayBuffer>) => void) | undefined;
  readonly onState?: ((state: SocketState) => void) | undefined;
  /** Called with each new connection, before its first message. */
  readonly onOpen?: ((socket: WebSocket) => void) | undefined;
  /**
   * Called when a connection cannot be opened, because a WebSocket does not expose the reason. Returns the reason if
   * retrying cannot help.
   */
  readonly whyRefused?: (() => Promise<string | undefined>) | undefined;
  /** A connection without messages for this long counts as lost. Default: no limit. */
  readonly silenceMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** Only a browser reports that it is back online. */
const page = globalThis as unknown as Partial<EventTarget>;

const BACKOFF = { firstMs: 250, capMs: 15_000 };

/** A WebSocket that reconnects with exponential backoff, and at once when the browser is back online. */
export class ReconnectingSocket {
  readonly #options: ReconnectingSocketOptions;
  readonly #clock: Clock;
  #socket: WebSocket | undefined;
  #waiting = false;
  #attempt = 0;
  #closed = false;
  #cancelTimer: () => void = () => undefined;

  constructor(options: ReconnectingSocketOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    page.addEventListener?.('online', this.reconnectNow);
    this.#connect();
  }

  /** Skips the wait before the next attempt. */
  readonly reconnectNow = (): void => {
    if (this.#waiting) this.restart();
  };

  /** Replaces the connection by a new one. */
  restart(): void {
    this.#drop();
    this.#connect();
  }

  /** Sends if the connection is open. */
  send(data: string | Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(data);
  }

  close(): void {
    this.#closed = true;
    page.removeEventListener?.('online', this.reconnectNow);
    this.#drop();
  }

  #report(state: SocketState): void {
    this.#waiting = state.kind === 'waiting';
    this.#options.onState?.(state);
  }

  #connect(): void {
    if (this.#closed) return;
    this.#report({ kind: 'connecting' });
    const url = this.#options.url();
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    let opened = false;
    socket.addEventListener('open', () => {
      if (this.#socket !== socket) return;
      opened = true;
      this.#watchSilence();
      this.#options.onOpen?.(socket);
      this.#report({ kind: 'live' });
    });
    socket.addEventListener('message', (event) => {
      if (this.#socket !== socket) return;
      const data = event.data as string | ArrayBuffer;
      this.#attempt = 0;
      this.#watchSilence();
      this.#options.onMessage?.(typeof data === 'string' ? data : new Uint8Array(data));
    });
    socket.addEventListener('close', () => {
      if (this.#socket === socket) void this.#lost(opened);
    });
  }

  async #lost(opened: boolean): Promise<void> {
    this.#drop();
    const reason = opened ? undefined : await this.#options.whyRefused?.();
    // The caller may have closed or restarted the socket in the meantime.
    if (this.#closed || this.#socket !== undefined) return;
    if (reason !== undefined) return this.#report({ kind: 'refused', reason });
    const delay = backoffMs(this.#attempt, BACKOFF, this.#options.random ?? Math.random);
    this.#attempt += 1;
    this.#cancelTimer = this.#clock.after(delay, () => this.#connect());
    const until = this.#clock.now() + delay;
    this.#report({ kind: 'waiting', until, attempt: this.#attempt });
  }

  #watchSilence(): void {
    const { silenceMs } = this.#options;
    if (silenceMs === undefined) return;
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(silenceMs, () => void this.#lost(true));
  }

  #drop(): void {
    this.#cancelTimer();
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }
}
