export interface StreamTiming {
  /** Interval of keep-alive comments, which keep proxies from closing idle connections. */
  readonly keepAliveMs: number;
  /** Interval of ping events, by which clients notice a dead connection. */
  readonly pingMs: number;
  /** Interval of polls for changes whose hint was lost. */
  readonly pollMs: number;
  /** A client that reads nothing for this long is disconnected. */
  readonly stallMs: number;
  /** How long the state of a chat is kept after its last viewer has left. */
  readonly lingerMs: number;
  /** The longest time that live parts wait for others under load, to be sent together. */
  readonly flushMs: number;
  readonly relayMs: number;
  readonly watchMs: number;
  /** Interval of checks for revoked tokens and sessions. */
  readonly revokedMs: number;
  /** Interval of announcements of viewers to other replicas. */
  readonly presentMs: number;
  /** How long an announcement of viewers counts. */
  readonly absentMs: number;
  readonly renewMs: number;
  readonly interestMs: number;
  readonly answerMs: number;
  readonly patienceMs: number;
  readonly retryMs: number;
}

export const TIMING: StreamTiming = {
  keepAliveMs: 15_000,
  pingMs: 30_000,
  pollMs: 3000,
  stallMs: 30_000,
  lingerMs: 5000,
  flushMs: 50,
  relayMs: 20,
  watchMs: 50,
  revokedMs: 3000,
  presentMs: 4000,
  absentMs: 12_000,
  renewMs: 4000,
  interestMs: 12_000,
  answerMs: 1000,
  patienceMs: 2000,
  retryMs: 500,
};
