import { setTimeout as sleep } from 'node:timers/promises';

/** Per user and replica. 64 chats at 1,000 tokens per second each need half of it. */
const BYTES_PER_SECOND = 512 * 1024;
/** Bytes that pass without a delay after a silence. */
const BURST_BYTES = 4 * 1024 ** 2;
/** Each pause of a connection copies what it has buffered, so pauses are rare. */
const BYTES_BETWEEN_PAUSES = 64 * 1024;
/** The rate holds for up to 80 chats that flood. Short enough for the silence timeout of a model call. */
const LONGEST_WAIT_MS = 10_000;
const PRUNE_AT = 1000;

/**
 * Limits the rate at which model output of one user is read. Without it, a provider that floods the chats of one user
 * keeps the process and the database from serving others.
 */
export class OutputPace {
  readonly #now: () => number;
  /** By user: the time at which everything read so far has been paid for. */
  readonly #paidAt = new Map<string, number>();

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** For one turn. Returns undefined while the user is within the limit. */
  reader(userId: string): (bytes: number) => Promise<void> | undefined {
    let unpaid = 0;
    return (bytes) => {
      unpaid += bytes;
      if (unpaid < BYTES_BETWEEN_PAUSES) return undefined;
      const ms = this.take(userId, unpaid);
      unpaid = 0;
      return ms === 0 ? undefined : sleep(ms);
    };
  }

  /** Milliseconds to wait before the next read. */
  take(userId: string, bytes: number): number {
    const now = this.#now();
    const full = now - (BURST_BYTES / BYTES_PER_SECOND) * 1000;
    const paidAt = Math.max(this.#paidAt.get(userId) ?? full, full);
    const next = paidAt + (bytes / BYTES_PER_SECOND) * 1000;
    if (this.#paidAt.size >= PRUNE_AT) this.#prune(full);
    this.#paidAt.set(userId, next);
    return Math.min(LONGEST_WAIT_MS, Math.max(0, next - now));
  }

  /** A user with the full burst is the same as an unknown one. */
  #prune(full: number): void {
    for (const [userId, paidAt] of this.#paidAt) if (paidAt <= full) this.#paidAt.delete(userId);
  }
}
