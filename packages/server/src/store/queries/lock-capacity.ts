import { ADVISORY_LOCKS } from '../../postgres/advisory-locks.ts';
import { statement } from '../statement.ts';

/** Workers count and take in turn: two that count at the same time would take too many. */
export const lockCapacity = statement<never>(
  'lock-capacity',
  `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.capacity.join(', ')})`,
);
