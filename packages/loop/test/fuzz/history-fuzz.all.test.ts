import * as fc from 'fast-check';
import { test } from 'vitest';
import { conversation } from './conversation.ts';
import { perform } from './perform.ts';

const RUNS = 100_000;
const BATCH = 5_000;

test.each(Array.from({ length: RUNS / BATCH }, (_, index) => (index + 1) * BATCH))(
  'random conversations break nothing, up to the %ith',
  { timeout: 3_600_000 },
  async () => {
    await fc.assert(fc.asyncProperty(conversation, perform), { numRuns: BATCH });
  },
);
