import type { UserRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { USER_COLUMNS } from './user-columns.ts';

export const oldestAdmin = statement<UserRow>(
  'oldest-admin',
  `SELECT ${USER_COLUMNS}
     FROM users
    WHERE role = 'admin' AND suspended_at IS NULL
    ORDER BY created_at, id
    LIMIT 1`,
);
