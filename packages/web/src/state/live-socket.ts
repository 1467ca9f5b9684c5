import { Cell, type ReadableCell } from './cell.ts';
import { type Clock, systemClock } from './clock.ts';
import { reconnectDelay, socketAddress } from './reconnecting.ts';

export type LineState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'waiting'; readonly until: number; readonly attempt: number }
  | { readonly kind: 'refused'; readonly reason: string };

interface LiveSocketOptions {
  /** Evaluated before each connection, so that it can include the current cursor. */
  readonly path: () => string;
  readonly onEvent: (event: unknown) => void;
  /** Called when a connection could not be opened. Returns the reason if retrying is pointless. */
  readonly whyRefused?: () => Promise<string | undefined>;
  readonly clock?: Clock;
}

/** The server pings every 30 s: a connection that is silent for longer is dead. */
const SILENCE_MS = 45_000;

/** A reconnecting WebSocket for events. Browsers allow too few HTTP/1.1 connections for event streams. */
export class LiveSocket {
  readonly #options: LiveSocketOptions;
  readonly #clock: Clock;
  readonly #state = new Cell<LineState>({ kind: 'connecting' });
  #socket: WebSocket | undefined;
  #attempt = 0;
  #closed = false;
  #forgetTimer: () => void = () => undefined;

  constructor(options: LiveSocketOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    addEventListener('online', this.reconnectNow);
    this.#connect();
  }

  get state(): ReadableCell<LineState> {
    return this.#state;
  }

  /** Reconnects immediately. */
  readonly reconnectNow = (): void => {
    if (this.#closed || this.#state.get().kind !== 'waiting') return;
    this.#forgetTimer();
    this.#connect();
  };

  /** Reconnects with the current `path`. */
  restart(): void {
    this.#drop();
    this.#connect();
  }

  close(): void {
    this.#closed = true;
    removeEventListener('online', this.reconnectNow);
    this.#drop();
  }

  #connect(): void {
    if (this.#closed) return;
    this.#state.set({ kind: 'connecting' });
    const socket = new WebSocket(socketAddress(this.#options.path()));
    this.#socket = socket;
    let opened = false;
    socket.addEventListener('open', () => {
      opened = true;
      this.#state.set({ kind: 'live' });
      this.#watchSilence(socket);
    });
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket !== socket) return;
      this.#attempt = 0;
      this.#watchSilence(socket);
      this.#options.onEvent(JSON.parse(String(data)));
    });
    socket.addEventListener('close', () => {
      if (this.#socket === socket) void this.#lost(opened);
    });
  }

  async #lost(opened: boolean): Promise<void> {
    this.#drop();
    const reason = opened ? undefined : await this.#options.whyRefused?.();
    if (this.#closed) return;
    if (reason !== undefined) {
      this.#state.set({ kind: 'refused', reason });
      return;
    }
    const delay = reconnectDelay(this.#attempt, this.#clock.random());
    this.#attempt += 1;
    const until = this.#clock.now() + delay;
    this.#state.set({ kind: 'waiting', until, attempt: this.#attempt });
    this.#forgetTimer = this.#clock.later(delay, () => this.#connect());
  }

  #watchSilence(socket: WebSocket): void {
    this.#forgetTimer();
    this.#forgetTimer = this.#clock.later(SILENCE_MS, () => {
      if (this.#socket === socket) void this.#lost(true);
    });
  }

  #drop(): void {
    this.#forgetTimer();
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }
}
