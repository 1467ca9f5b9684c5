import { statement } from '../statement.ts';

/** Nothing that refers to the user can be added while this is held. */
export const lockUser = statement<{ id: string }>(
  'lock-user',
  `SELECT id FROM users WHERE id = $1 FOR UPDATE`,
);
