import { statement } from '../statement.ts';

/** What a user may spend in a month: a limit of its own, or the one in the settings. */
export const readSpendLimit = statement<{ limit_micros: number | null }>(
  'read-spend-limit',
  `SELECT coalesce(users.spend_limit_micros, (settings.value ->> 'spend_limit_micros')::bigint) AS limit_micros
     FROM users, settings
    WHERE users.id = $1`,
);
