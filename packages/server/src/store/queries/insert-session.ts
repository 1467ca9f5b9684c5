import { statement } from '../statement.ts';

export const insertSession = statement<never>(
  'insert-session',
  `INSERT INTO sessions (secret_hash, user_id, expires_at)
   VALUES ($1, $2, now() + $3::integer * interval '1 day')`,
);
