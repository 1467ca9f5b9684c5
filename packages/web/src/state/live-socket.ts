import { ReconnectingSocket, type SocketState } from '@chatd/client/socket';
import { Cell } from './cell.ts';
import { connection } from './connection.ts';
import { whyRefused } from './why-refused.ts';

interface LiveSocketOptions {
  /** Evaluated before each connection, so that it can include the current cursor. */
  readonly path: () => string;
  readonly onEvent: (event: unknown) => void;
}

/** The server pings every 30 s: a connection that is silent for longer is dead. */
const SILENCE_MS = 45_000;

/** Events over a WebSocket. Browsers allow too few HTTP/1.1 connections for event streams. */
export class LiveSocket {
  readonly #socket: ReconnectingSocket;
  readonly #lost = new Cell<number | null>(null);
  readonly #leave: () => void;

  constructor({ path, onEvent }: LiveSocketOptions) {
    this.#socket = new ReconnectingSocket({
      url: () => new URL(path(), location.href),
      onMessage: (data) => onEvent(JSON.parse(String(data))),
      onState: (state) => this.#follow(state),
      whyRefused,
      silenceMs: SILENCE_MS,
    });
    const reconnectNow = () => this.#socket.reconnectNow();
    this.#leave = connection.keep({ lost: this.#lost, reconnectNow });
  }

  /** Reconnects with the current `path`. */
  restart(): void {
    this.#socket.restart();
  }

  close(): void {
    this.#leave();
    this.#socket.close();
  }

  #follow(state: SocketState): void {
    if (state.kind === 'live' || state.kind === 'refused') this.#lost.set(null);
    // Short interruptions are not reported.
    else if (state.kind === 'waiting' && state.attempt > 1) this.#lost.set(state.until);
  }
}
