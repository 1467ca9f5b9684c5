import { ChatdProblem } from '@chatd/client';
import { expect, test } from 'vitest';
import { EXIT } from '../exit-codes.ts';
import { explain } from './explain.ts';

test('a reached limit is shown with what to do', () => {
  const problem = new ChatdProblem(
    {
      status: 429,
      code: 'too_many_requests',
      title: 'Too many requests',
      detail:
        'Rate limit reached: a user has 1200 points per minute, and this request costs 10. Try again in 60 seconds.',
    },
    60_000,
  );
  expect(explain(problem)).toEqual({
    exitCode: EXIT.refused,
    message:
      'Rate limit reached: a user has 1200 points per minute, and this request costs 10. Try again in 60 seconds. (too_many_requests)',
    hint: 'Wait, send fewer requests at the same time, or ask the operator to raise the limit: docs/limits.md.',
  });
});
