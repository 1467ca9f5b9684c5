export interface Backoff {
  /** Upper limit of the first delay. The limit doubles with every further attempt. */
  readonly firstMs: number;
  readonly capMs: number;
}

/** Full jitter: a random delay up to the limit, so that clients do not reconnect at the same moment. */
export function backoffMs(
  tries: number,
  { firstMs, capMs }: Backoff,
  random: () => number,
): number {
  return random() * Math.min(capMs, firstMs * 2 ** tries);
}
