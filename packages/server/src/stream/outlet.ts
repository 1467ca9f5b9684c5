import type { EventFrame } from './event-frame.ts';

/** Why the server ends a stream. The client can reconnect with its cursor. */
export type Ending =
  /** The server is shutting down. Another replica serves the client. */
  | 'shutdown'
  /** The client has not read for too long. */
  | 'slow'
  /** The token or session is no longer valid. */
  | 'revoked'
  /** The chat is gone. */
  | 'gone'
  /** The server failed. */
  | 'failed'
  /** The turn has ended, and with it the response. The connection stays open for further requests. */
  | 'complete';

/** An open connection of a client, whose token or session may be revoked. */
export interface Subscriber {
  /** Keeps proxies from closing an idle connection. */
  keepAlive(): void;
  close(ending: Ending): void;
  /** Calls the listener immediately if the client has disconnected. */
  onClosed(listener: () => void): void;
}

/** Writes events to one client. */
export interface Outlet extends Subscriber {
  readonly kind: 'sse' | 'websocket';
  /** Bytes that the client has not read yet. */
  readonly backlog: number;
  /** Bytes that the client has read. */
  readonly taken: number;
  write(frame: EventFrame): void;
  /** Resolves when the client has read everything, or disconnects. */
  drained(): Promise<void>;
}
