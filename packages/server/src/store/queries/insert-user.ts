import type { UserRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { USER_COLUMNS } from './user-columns.ts';

/** No row: the name is taken. */
export const insertUser = statement<UserRow>(
  'insert-user',
  `INSERT INTO users (id, username, role, password_hash) VALUES ($1, $2, $3, $4)
   ON CONFLICT (username) DO NOTHING
   RETURNING ${USER_COLUMNS}`,
);
