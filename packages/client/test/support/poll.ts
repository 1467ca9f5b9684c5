import { expect } from 'vitest';

/** Waits for a condition. The timeout only ends a broken test. */
export function poll<T>(condition: () => T) {
  // oxlint-disable-next-line vitest/require-awaited-expect-poll -- the caller awaits it
  return expect.poll(condition, { timeout: 50_000 });
}
