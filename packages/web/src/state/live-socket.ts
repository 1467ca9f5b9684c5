import { ReconnectingSocket, type SocketState } from '@chatd/client/socket';
import { Cell, type ReadableCell } from './cell.ts';

interface LiveSocketOptions {
  /** Evaluated before each connection, so that it can include the current cursor. */
  readonly path: () => string;
  readonly onEvent: (event: unknown) => void;
  /** Called when a connection could not be opened. Returns the reason if retrying is pointless. */
  readonly whyRefused?: () => Promise<string | undefined>;
}

/** The server pings every 30 s: a connection that is silent for longer is dead. */
const SILENCE_MS = 45_000;

/** Events over a WebSocket. Browsers allow too few HTTP/1.1 connections for event streams. */
export class LiveSocket {
  readonly #socket: ReconnectingSocket;
  readonly #state = new Cell<SocketState>({ kind: 'connecting' });

  constructor({ path, onEvent, whyRefused }: LiveSocketOptions) {
    this.#socket = new ReconnectingSocket({
      url: () => new URL(path(), location.href),
      onMessage: (data) => onEvent(JSON.parse(String(data))),
      onState: (state) => this.#state.set(state),
      whyRefused,
      silenceMs: SILENCE_MS,
    });
  }

  get state(): ReadableCell<SocketState> {
    return this.#state;
  }

  readonly reconnectNow = (): void => this.#socket.reconnectNow();

  /** Reconnects with the current `path`. */
  restart(): void {
    this.#socket.restart();
  }

  close(): void {
    this.#socket.close();
  }
}
