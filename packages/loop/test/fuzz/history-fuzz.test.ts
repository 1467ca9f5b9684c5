import * as fc from 'fast-check';
import { test } from 'vitest';
import { CASES } from './cases.ts';
import { conversation } from './conversation.ts';
import { perform } from './perform.ts';

/*
 * Invariants after any conversation: the next ordinary turn succeeds, no provider has rejected a request, and a process
 * that reads the history back builds the same prompts.
 */

const RUNS = process.env['CHATD_TEST_ALL'] === '1' ? 2_000 : 400;

test.each(CASES.map((each, index) => [index + 1, each] as const))(
  'conversation %i, which once broke a chat, breaks nothing',
  async (_, each) => {
    await perform(each);
  },
);

test(`${RUNS} random conversations break nothing`, { timeout: 3_600_000 }, async () => {
  await fc.assert(fc.asyncProperty(conversation, perform), { numRuns: RUNS });
});
