import { vi } from 'vitest';

/** Awaits a condition; how long that takes is no part of any test, so the limit is only there to end a broken one. */
export function eventually<T>(condition: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(condition, { timeout: 50_000, interval: 20 });
}
