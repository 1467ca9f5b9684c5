import { expect, test } from 'vitest';
import { z } from 'zod';
import { issueMessage } from './issue-message.ts';

test.each([
  ['is required', z.string(), undefined],
  ['must be a string, not a number', z.string(), 5],
  ['must be an object, not null', z.object({}), null],
  ['must be an integer, not a number', z.int(), 1.5],
  ['must be a boolean, not an array', z.boolean(), []],
  ['must have at least 1 character', z.string().min(1), ''],
  ['must have at most 2 entries', z.array(z.string()).max(2), ['a', 'b', 'c']],
  ['must be at most 10', z.number().max(10), 11],
  ['must be more than 0', z.number().positive(), 0],
  ['must be one of "a", "b"', z.enum(['a', 'b']), 'c'],
  ['must be a valid uuid', z.uuid(), 'x'],
  ['does not match any of the allowed forms', z.union([z.string(), z.number()]), true],
  ['must be odd', z.number().refine((n) => n % 2 === 1, 'must be odd'), 2],
])('%s', (message, schema: z.ZodType, input) => {
  const result = schema.safeParse(input, { error: issueMessage });
  expect(result.error?.issues.map((issue) => issue.message)).toEqual([message]);
});
