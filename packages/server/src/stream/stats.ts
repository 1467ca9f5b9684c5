export interface StreamStats {
  readonly open: { readonly sse: number; readonly websocket: number };
  readonly watching: number;
  readonly chats: number;
  /** Chats of other replicas whose live parts are mirrored here. */
  readonly relayed: number;
  readonly events: number;
  readonly lookups: number;
  readonly resyncs: number;
  readonly merged: number;
  readonly slowCloses: number;
}

export class StreamCounts {
  events = 0;
  /** Reads of committed changes, one for all viewers of a chat. */
  lookups = 0;
  /** Clients that fell behind and had to catch up. */
  resyncs = 0;
  /** Deltas that were merged into another event. */
  merged = 0;
  slowCloses = 0;
  /** Called for every committed change that reached viewers. */
  onLag: (seconds: number) => void = () => undefined;
}
