export interface StreamTiming {
  /** A comment, so that proxies do not close a quiet connection. */
  readonly keepAliveMs: number;
  /** An event, so that clients notice a dead line. */
  readonly pingMs: number;
  /** How often the database is asked for changes that nobody told us of. */
  readonly pollMs: number;
  /** How long a client may take nothing of what it was sent. */
  readonly stallMs: number;
  /** How long a chat stays known after its last viewer has left. */
  readonly lingerMs: number;
  readonly flushMs: number;
  readonly relayMs: number;
  readonly watchMs: number;
  /** How soon a token that was revoked no longer shows anything. */
  readonly revokedMs: number;
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
  flushMs: 10,
  relayMs: 20,
  watchMs: 50,
  revokedMs: 3000,
  renewMs: 4000,
  interestMs: 12_000,
  answerMs: 1000,
  patienceMs: 2000,
  retryMs: 500,
};
