import { statement } from '../statement.ts';

export const countTokens = statement<{ count: number }>(
  'count-tokens',
  `SELECT count(*) AS count FROM tokens WHERE user_id = $1`,
);
