import { z } from 'zod';
import { Timestamp } from './ids.ts';

const micros = z.int().nonnegative();

/** What a user has spent in this calendar month (UTC), and what is left of it. */
export const Spend = z
  .object({
    limit_micros: micros
      .nullable()
      .describe(
        "What the month may cost: the user's own limit, else that of the settings. Null: no limit.",
      ),
    spent_micros: micros.describe('What it has cost, calls without a known cost left out.'),
    left_micros: micros
      .nullable()
      .describe('What is left of the limit, at least 0. Null: there is no limit.'),
    unpriced_calls: micros.describe(
      'Model calls whose cost is not known: if there are some, more was spent.',
    ),
    since: Timestamp.describe('When the month began.'),
    resets_at: Timestamp.describe('When the next one begins, and the limit is whole again.'),
  })
  .meta({
    id: 'Spend',
    description:
      'What a user has spent in this calendar month (UTC), in millionths of the currency of the prices.',
  });
export type Spend = z.infer<typeof Spend>;
