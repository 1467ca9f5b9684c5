import { afterAll, vi } from 'vitest';

/** Test files that share a worker's modules must not see the mocks of an earlier one. */
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
