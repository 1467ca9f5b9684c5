import { statement } from '../statement.ts';

/** Whoever takes an admin away holds them all: two who take each other away wait for one another. */
export const lockAdmins = statement<{ id: string }>(
  'lock-admins',
  `SELECT id FROM users WHERE role = 'admin' ORDER BY id FOR UPDATE`,
);
