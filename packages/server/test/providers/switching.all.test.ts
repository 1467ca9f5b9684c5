import { test } from 'vitest';
import { walkAtRandom } from './support/moves.ts';

test(
  'a chat sends no request that a provider refuses, whichever providers answer it and whatever they do',
  { timeout: 3_600_000 },
  () => walkAtRandom({ numRuns: 1_000, seed: Date.now() % 2 ** 31 }),
);
