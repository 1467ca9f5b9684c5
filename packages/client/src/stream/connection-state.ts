/** State of the connection between a stream and the server. */
export type ConnectionState =
  /** `attempt` starts at 1 after every established connection. */
  | { readonly state: 'connecting'; readonly attempt: number }
  /** Connected. */
  | { readonly state: 'live' }
  /** Disconnected because of `reason`, after `attempt` failed attempts. The next attempt starts in `delayMs`. */
  | {
      readonly state: 'waiting';
      readonly delayMs: number;
      readonly attempt: number;
      readonly reason: Error;
    };

/** Options of a stream. */
export interface StreamOptions {
  /** Aborting ends the iteration, like leaving the loop. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the state of the connection changes. */
  readonly onConnection?: ((state: ConnectionState) => void) | undefined;
  /** Max number of failed attempts in a row before the stream throws. Default: no limit. */
  readonly retries?: number | undefined;
  /**
   * A connection without data for this long counts as lost. Default: 45 seconds. The server sends something every 15
   * seconds.
   */
  readonly silenceMs?: number | undefined;
}
