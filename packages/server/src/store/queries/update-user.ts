import type { UserRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { USER_COLUMNS } from './user-columns.ts';

export const updateUser = statement<UserRow>(
  'update-user',
  `UPDATE users
      SET role = coalesce($2, role), password_hash = coalesce($3, password_hash)
    WHERE id = $1
   RETURNING ${USER_COLUMNS}`,
);
