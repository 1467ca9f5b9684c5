import type { UserRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { USER_COLUMNS } from './user-columns.ts';

/** Ids grow with time, so this is the order in which they were made. */
export const listUsers = statement<UserRow>(
  'list-users',
  `SELECT ${USER_COLUMNS}
     FROM users
    WHERE $1::uuid IS NULL OR id > $1
    ORDER BY id
    LIMIT $2`,
);
