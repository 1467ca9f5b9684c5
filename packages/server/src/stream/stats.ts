/** What an operator wants to know of streams. */
export interface StreamStats {
  readonly open: { readonly sse: number; readonly websocket: number };
  readonly watching: number;
  readonly chats: number;
  /** Chats of other processes whose live parts are followed. */
  readonly relayed: number;
  readonly events: number;
  readonly lookups: number;
  readonly resyncs: number;
  readonly merged: number;
  readonly slowCloses: number;
}

/** Counted where it happens. */
export class StreamCounts {
  events = 0;
  /** Reads of committed changes, one for all viewers of a chat. */
  lookups = 0;
  /** Clients that fell behind and were caught up. */
  resyncs = 0;
  /** Deltas that reached a client as one event with others. */
  merged = 0;
  slowCloses = 0;
  /** Told once for every committed change that reached viewers. */
  onLag: (seconds: number) => void = () => undefined;
}
