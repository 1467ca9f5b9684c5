import { expect } from 'vitest';

/** Awaits a condition; how long that takes is no part of any test, so the limit is only there to end a broken one. */
export function poll<T>(condition: () => T) {
  // oxlint-disable-next-line vitest/require-awaited-expect-poll -- whoever calls this awaits it
  return expect.poll(condition, { timeout: 50_000 });
}
