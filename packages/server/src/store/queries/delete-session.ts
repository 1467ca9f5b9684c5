import { statement } from '../statement.ts';

export const deleteSession = statement<never>(
  'delete-session',
  `DELETE FROM sessions WHERE secret_hash = $1`,
);
