import { statement } from '../statement.ts';

/** Locks all active admins. Two admins who remove each other wait for one another. */
export const lockAdmins = statement<{ id: string }>(
  'lock-admins',
  `SELECT id FROM users WHERE role = 'admin' AND suspended_at IS NULL ORDER BY id FOR UPDATE`,
);
