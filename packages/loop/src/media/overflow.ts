/**
 * Old files leave a prompt in blocks of this share of a limit, so that the provider's cache stays valid between two
 * blocks.
 */
export const BLOCK = 1 / 4;

/** How many of the oldest files to omit so that the rest is within the limit. */
export function overflow(count: number, limit: number): number {
  const excess = count - limit;
  if (excess <= 0) return 0;
  const block = Math.max(1, Math.floor(limit * BLOCK));
  return Math.min(count, Math.ceil(excess / block) * block);
}
