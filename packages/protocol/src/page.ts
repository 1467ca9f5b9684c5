import { z } from 'zod';
import { describedAs } from './text-value.ts';

/** `?limit=`: 1 to 200, 50 unless told. */
export const Limit = z
  .string()
  .regex(/^[0-9]{1,3}$/, 'must be 1 to 200')
  .transform(Number)
  .refine((limit) => limit >= 1 && limit <= 200, 'must be 1 to 200')
  .default(50)
  .meta({
    ...describedAs({ type: 'integer', minimum: 1, maximum: 200, default: 50 }),
    description: 'How many at most.',
  });

/** `?tail=`: how many of the newest messages, 0 to 1000. */
export const Tail = z
  .string()
  .regex(/^[0-9]{1,4}$/, 'must be 0 to 1000')
  .transform(Number)
  .refine((tail) => tail <= 1000, 'must be 0 to 1000')
  .meta(describedAs({ type: 'integer', minimum: 0, maximum: 1000 }));

/** `?cursor=`: the `next_cursor` of the answer before. */
export const Cursor = z
  .string()
  .min(1)
  .max(512)
  .optional()
  .describe(
    'The `next_cursor` of the answer before, to go on behind it. Opaque. Without it, from the beginning.',
  );

export const NextCursor = z
  .string()
  .nullable()
  .describe('What to give as `cursor` for the next page. Null: there is none.');

/** For lists that are always answered as a whole: clients can read every list in the same way. */
export const NoNextCursor = z.null().describe('Always null: the list is complete.');

/** A yes or no in a query string. */
export const Flag = z
  .enum(['true', 'false'])
  .transform((flag) => flag === 'true')
  .meta(describedAs({ type: 'boolean' }));
