export interface Backoff {
  /** The longest wait before the first try again; each further one may last twice as long. */
  readonly firstMs: number;
  readonly capMs: number;
}

/** Full jitter: anything up to the limit, so that those who lost a server together do not come back together. */
export function backoffMs(
  tries: number,
  { firstMs, capMs }: Backoff,
  random: () => number,
): number {
  return random() * Math.min(capMs, firstMs * 2 ** tries);
}
