import { z } from 'zod';
import { Timestamp } from './ids.ts';

const micros = z.int().nonnegative();

/** What a user has spent in this calendar month (UTC), and what is left of it. */
export const Spend = z
  .object({
    /** Null: no limit. */
    limit_micros: micros.nullable(),
    spent_micros: micros,
    /** Null when there is no limit. */
    left_micros: micros.nullable(),
    /** Calls whose price is not known; `spent_micros` leaves them out. */
    unpriced_calls: micros,
    since: Timestamp,
    resets_at: Timestamp,
  })
  .meta({ id: 'Spend' });
export type Spend = z.infer<typeof Spend>;
