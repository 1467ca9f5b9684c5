import type { UserRow } from '../accounts.ts';
import { statement } from '../statement.ts';

/** A user as requests need it; the password's hash stays in the database. */
export const USER_COLUMNS = `users.id, users.username, users.role, users.created_at,
  users.spend_limit_micros,
  users.password_hash IS NOT NULL AS has_password, users.suspended_at IS NOT NULL AS suspended`;

export const findUser = statement<UserRow>(
  'find-user',
  `SELECT ${USER_COLUMNS} FROM users WHERE id = $1`,
);

/** The one statement that reads a password's hash. */
export const findCredentials = statement<UserRow & { readonly password_hash: string | null }>(
  'find-credentials',
  `SELECT ${USER_COLUMNS}, users.password_hash FROM users WHERE username = $1`,
);

/** Ids grow with time, so this is the order in which they were made. */
export const listUsers = statement<UserRow>(
  'list-users',
  `SELECT ${USER_COLUMNS}
     FROM users
    WHERE $1::uuid IS NULL OR id > $1
    ORDER BY id
    LIMIT $2`,
);

/** No row: the name is taken. */
export const insertUser = statement<UserRow>(
  'insert-user',
  `INSERT INTO users (id, username, role, password_hash) VALUES ($1, $2, $3, $4)
   ON CONFLICT (username) DO NOTHING
   RETURNING ${USER_COLUMNS}`,
);

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

/** Chats, files, tokens and sessions go with the user; what was spent stays in model_calls. */
export const deleteUser = statement<never>('delete-user', `DELETE FROM users WHERE id = $1`);

/** Nothing that refers to the user can be added while this is held. */
export const lockUser = statement<{ id: string }>(
  'lock-user',
  `SELECT id FROM users WHERE id = $1 FOR UPDATE`,
);

/** Locks all active admins. Two admins who remove each other wait for one another. */
export const lockAdmins = statement<{ id: string }>(
  'lock-admins',
  `SELECT id FROM users WHERE role = 'admin' AND suspended_at IS NULL ORDER BY id FOR UPDATE`,
);

export const oldestAdmin = statement<UserRow>(
  'oldest-admin',
  `SELECT ${USER_COLUMNS}
     FROM users
    WHERE role = 'admin' AND suspended_at IS NULL
    ORDER BY created_at, id
    LIMIT 1`,
);

/** Transactions that count what a user has and add to it do so one after the other. Other references to the user can be added. */
export const lockQuota = statement<{ id: string }>(
  'lock-quota',
  `SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE`,
);
