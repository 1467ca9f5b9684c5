/** What goes on between a stream and the server. */
export type ConnectionState =
  /** `attempt` is 1 for the first try since the line was last up. */
  | { readonly state: 'connecting'; readonly attempt: number }
  /** The line is up. */
  | { readonly state: 'live' }
  /** The line is down, for this `reason`, after `attempt` tries that failed. The next one is made after this long. */
  | {
      readonly state: 'waiting';
      readonly delayMs: number;
      readonly attempt: number;
      readonly reason: Error;
    };

/** How a stream is followed. */
export interface StreamOptions {
  /** Aborting ends the iteration; so does leaving the loop. */
  readonly signal?: AbortSignal | undefined;
  /** Is told what goes on between the stream and the server. */
  readonly onConnection?: ((state: ConnectionState) => void) | undefined;
  /** How many tries in a row may fail before the stream does; it never gives up unless told. */
  readonly retries?: number | undefined;
  /** A line on which nothing came for so long is dead; 45 seconds unless told. A quiet server says something every 15. */
  readonly silenceMs?: number | undefined;
}
