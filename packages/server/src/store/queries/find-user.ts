import type { UserRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { USER_COLUMNS } from './user-columns.ts';

export const findUser = statement<UserRow>(
  'find-user',
  `SELECT ${USER_COLUMNS} FROM users WHERE id = $1`,
);
