import { afterAll, vi } from 'vitest';

/** Test files that share a worker's modules must not see what an earlier one replaced. */
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
