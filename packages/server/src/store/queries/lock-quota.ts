import { statement } from '../statement.ts';

/** Transactions that count what a user has and add to it do so one after the other. Other references to the user can be added. */
export const lockQuota = statement<{ id: string }>(
  'lock-quota',
  `SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE`,
);
