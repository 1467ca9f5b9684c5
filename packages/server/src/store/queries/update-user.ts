import type { UserRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { USER_COLUMNS } from './user-columns.ts';

export const updateUser = statement<UserRow>(
  'update-user',
  `UPDATE users
      SET role = coalesce($2, role), password_hash = coalesce($3, password_hash),
          spend_limit_micros = CASE WHEN $4::boolean THEN $5::bigint ELSE spend_limit_micros END,
          suspended_at = CASE WHEN $6::boolean IS NULL THEN suspended_at
                              WHEN $6::boolean THEN coalesce(suspended_at, now()) END
    WHERE id = $1
   RETURNING ${USER_COLUMNS}`,
);
