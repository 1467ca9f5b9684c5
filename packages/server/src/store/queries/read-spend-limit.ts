import { statement } from '../statement.ts';

/** What a user may spend in a month: a limit of its own, or the one in the settings. Suspended users may spend nothing. */
export const readSpendLimit = statement<{ limit_micros: number | null; suspended: boolean }>(
  'read-spend-limit',
  `SELECT coalesce(users.spend_limit_micros, (settings.value ->> 'spend_limit_micros')::bigint) AS limit_micros,
          users.suspended_at IS NOT NULL AS suspended
     FROM users, settings
    WHERE users.id = $1`,
);
