import { statement } from '../statement.ts';

export interface SpendRow {
  readonly limit_micros: number | null;
  readonly spent_micros: number;
  readonly unpriced_calls: number;
  readonly since: Date;
  readonly resets_at: Date;
}

/**
 * The limit of a user and what the month has cost, by the database's clock. The sum needs nothing but the index
 * model_calls_by_user.
 */
export const readSpend = statement<SpendRow>(
  'read-spend',
  `SELECT coalesce(users.spend_limit_micros, (settings.value ->> 'spend_limit_micros')::bigint) AS limit_micros,
          calls.spent_micros, calls.unpriced_calls,
          date_trunc('month', now(), 'UTC') AS since,
          (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC' AS resets_at
     FROM users, settings,
          LATERAL (SELECT coalesce(sum(cost_micros), 0)::bigint AS spent_micros,
                          count(*) FILTER (WHERE cost_micros IS NULL) AS unpriced_calls
                     FROM model_calls
                    WHERE user_id = $1 AND created_at >= date_trunc('month', now(), 'UTC')) AS calls
    WHERE users.id = $1`,
);
