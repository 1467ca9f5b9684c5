import { setTimeout } from 'node:timers/promises';

const LIMIT_MS = 50_000;

/** Repeats a check until it passes. The limit only ends a broken test: no test depends on the duration of a check. */
export async function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + LIMIT_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await setTimeout(20);
    }
  }
}
