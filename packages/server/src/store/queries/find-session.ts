import type { UserRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { USER_COLUMNS } from './user-columns.ts';

export const findSession = statement<UserRow & { readonly expires_at: Date }>(
  'find-session',
  `SELECT ${USER_COLUMNS}, sessions.expires_at
     FROM sessions JOIN users ON users.id = sessions.user_id
    WHERE sessions.secret_hash = $1 AND sessions.expires_at > now()`,
);
