import type { Frame } from './frame.ts';

/** Why a stream ends from our side. Whoever was cut comes back with its cursor. */
export type Ending =
  /** The server stops: come back, another one answers. */
  | 'shutdown'
  /** The client did not read for too long. */
  | 'slow'
  /** The token or session is no longer valid. */
  | 'revoked'
  /** The chat is gone. */
  | 'gone'
  /** Something failed on our side. */
  | 'failed';

/** A connection that somebody holds open, by a right that may end. */
export interface Line {
  /** Keeps proxies from closing a quiet connection. */
  keepAlive(): void;
  close(ending: Ending): void;
  /** At once if the client has gone already. */
  onClosed(listener: () => void): void;
}

/** The way to one client, whatever it speaks. */
export interface Outlet extends Line {
  readonly kind: 'sse' | 'websocket';
  /** Bytes that were written and not taken. */
  readonly backlog: number;
  /** Bytes that were taken so far. */
  readonly taken: number;
  write(frame: Frame): void;
  /** Resolves when everything was taken, or the client has gone. */
  drained(): Promise<void>;
}
