import { z } from 'zod';
import { describedAs } from './text-value.ts';

/** `?limit=`: 1 to 200. Default: 50. */
export const Limit = z
  .string()
  .regex(/^[0-9]{1,3}$/, 'must be 1 to 200')
  .transform(Number)
  .refine((limit) => limit >= 1 && limit <= 200, 'must be 1 to 200')
  .default(50)
  .meta({
    ...describedAs({ type: 'integer', minimum: 1, maximum: 200, default: 50 }),
    description: 'Max number of items.',
  });

/** `?tail=`: number of newest messages, 0 to 1000. */
export const Tail = z
  .string()
  .regex(/^[0-9]{1,4}$/, 'must be 0 to 1000')
  .transform(Number)
  .refine((tail) => tail <= 1000, 'must be 0 to 1000')
  .meta(describedAs({ type: 'integer', minimum: 0, maximum: 1000 }));

export const Cursor = z
  .string()
  .min(1)
  .max(512)
  .optional()
  .describe('`next_cursor` of the previous page. Opaque. Omit it for the first page.');

export const NextCursor = z
  .string()
  .nullable()
  .describe('Value of `cursor` for the next page. Null: last page.');

/** For lists without pages, so that clients can read all lists the same way. */
export const NoNextCursor = z.null().describe('Always null: the list is complete.');

/** An amount in a query string. */
export const AmountText = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'must be a whole number')
  .transform(Number)
  .meta(describedAs({ type: 'integer', minimum: 0 }));

/** A boolean in a query string. */
export const Flag = z
  .enum(['true', 'false'])
  .transform((flag) => flag === 'true')
  .meta(describedAs({ type: 'boolean' }));
