import { expect } from 'vitest';

/** Awaits a condition; how long that takes is no part of any test, so the limit is only there to end a broken one. */
export const poll = <T>(condition: () => T) => expect.poll(condition, { timeout: 25_000 });
