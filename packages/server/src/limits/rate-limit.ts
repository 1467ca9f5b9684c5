const MINUTE_MS = 60_000;
const BURST_MS = 10_000;

interface Bucket {
  points: number;
  updatedAt: number;
}

/**
 * Token buckets: each key has a budget of points that refills evenly, up to the points of ten seconds. The owner of the
 * limit must use keys that an attacker cannot make up, such as user ids: a bucket is kept until it is full again.
 */
export class RateLimit {
  readonly pointsPerMinute: number;
  /** Points of a full bucket, which fills in `seconds`. */
  readonly capacity: number;
  readonly seconds = BURST_MS / 1000;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();
  #prunedAt: number;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(pointsPerMinute: number, now: () => number) {
    this.pointsPerMinute = pointsPerMinute;
    this.capacity = (pointsPerMinute * BURST_MS) / MINUTE_MS;
    this.#now = now;
    this.#prunedAt = now();
  }

  /** Buckets in memory. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Milliseconds until the key can pay. 0: it can pay now. */
  waitMs(key: string, points: number): number {
    const missing = this.#price(points) - this.#current(key).points;
    return missing <= 0 ? 0 : Math.ceil((missing / this.pointsPerMinute) * MINUTE_MS);
  }

  /** Points of the key, and the seconds until its bucket is full. */
  left(key: string): { readonly points: number; readonly fullInSeconds: number } {
    const { points } = this.#current(key);
    const missing = this.capacity - points;
    return {
      points: Math.max(0, Math.floor(points)),
      fullInSeconds: Math.ceil((missing / this.pointsPerMinute) * (MINUTE_MS / 1000)),
    };
  }

  /** Takes the points. Call `waitMs` first: this does not check. */
  take(key: string, points: number): void {
    this.#prune();
    const bucket = this.#current(key);
    bucket.points -= this.#price(points);
    this.#buckets.set(key, bucket);
  }

  /** A request that costs more than a full bucket costs the full bucket: otherwise it could never run. */
  #price(points: number): number {
    return Math.min(points, this.capacity);
  }

  #current(key: string): Bucket {
    const now = this.#now();
    const known = this.#buckets.get(key);
    if (known === undefined) return { points: this.capacity, updatedAt: now };
    return { points: this.#refilled(known, now), updatedAt: now };
  }

  #refilled({ points, updatedAt }: Bucket, now: number): number {
    const earned = ((now - updatedAt) / MINUTE_MS) * this.pointsPerMinute;
    return Math.min(this.capacity, points + earned);
  }

  /** A full bucket is the same as none. */
  #prune(): void {
    const now = this.#now();
    if (now - this.#prunedAt < MINUTE_MS) return;
    this.#prunedAt = now;
    for (const [key, bucket] of this.#buckets) {
      if (this.#refilled(bucket, now) >= this.capacity) this.#buckets.delete(key);
    }
  }
}
