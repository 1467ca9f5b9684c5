import type { UserRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { USER_COLUMNS } from './user-columns.ts';

/** The one statement that reads a password's hash. */
export const findCredentials = statement<UserRow & { readonly password_hash: string | null }>(
  'find-credentials',
  `SELECT ${USER_COLUMNS}, users.password_hash FROM users WHERE username = $1`,
);
