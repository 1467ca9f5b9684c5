import type { UserRow } from '../accounts.ts';
import { statement } from '../statement.ts';

/** Without the password hash. */
export const USER_COLUMNS = `users.id, users.username, users.role, users.created_at,
  users.spend_limit_micros,
  users.password_hash IS NOT NULL AS has_password, users.suspended_at IS NOT NULL AS suspended`;

export const findUser = statement<{ id: string }, UserRow>(
  'find-user',
  `SELECT ${USER_COLUMNS} FROM users WHERE id = :id`,
);

/** Only this statement reads the password hash. */
export const findCredentials = statement<
  { username: string },
  UserRow & { readonly password_hash: string | null }
>(
  'find-credentials',
  `SELECT ${USER_COLUMNS}, users.password_hash FROM users WHERE username = :username`,
);

/** In the order of creation: ids grow with time. */
export const listUsers = statement<{ after_id: string | null; limit: number }, UserRow>(
  'list-users',
  `SELECT ${USER_COLUMNS}
     FROM users
    WHERE :after_id::uuid IS NULL OR id > :after_id
    ORDER BY id
    LIMIT :limit`,
);

/** No row: the name is taken. */
export const insertUser = statement<
  {
    id: string;
    username: string;
    role: string;
    password_hash: string | null;
  },
  UserRow
>(
  'insert-user',
  `INSERT INTO users (id, username, role, password_hash) VALUES (:id, :username, :role, :password_hash)
   ON CONFLICT (username) DO NOTHING
   RETURNING ${USER_COLUMNS}`,
);

export const updateUser = statement<
  {
    id: string;
    role: string | null;
    password_hash: string | null;
    sets_spend_limit: boolean;
    spend_limit_micros: number | null;
    suspended: boolean | null;
  },
  UserRow
>(
  'update-user',
  `UPDATE users
      SET role = coalesce(:role, role), password_hash = coalesce(:password_hash, password_hash),
          spend_limit_micros = CASE WHEN :sets_spend_limit::boolean THEN :spend_limit_micros::bigint ELSE spend_limit_micros END,
          suspended_at = CASE WHEN :suspended::boolean IS NULL THEN suspended_at
                              WHEN :suspended::boolean THEN coalesce(suspended_at, now()) END
    WHERE id = :id
   RETURNING ${USER_COLUMNS}`,
);

/** Chats, files, tokens and sessions are deleted with the user. Costs stay in model_calls. */
export const deleteUser = statement<{ id: string }, never>(
  'delete-user',
  `WITH targets AS (
     SELECT id FROM webhooks WHERE owner_id = :id UNION ALL SELECT id FROM push_subscriptions WHERE user_id = :id
   ), events AS (DELETE FROM outbox WHERE target_id IN (SELECT id FROM targets))
   DELETE FROM users WHERE id = :id`,
);

/** While the lock is held, no row that refers to the user can be added. */
export const lockUser = statement<{ id: string }, { id: string }>(
  'lock-user',
  `SELECT id FROM users WHERE id = :id FOR UPDATE`,
);

/** Locks all active admins, so that two admins cannot remove each other. */
export const lockAdmins = statement<null, { id: string }>(
  'lock-admins',
  `SELECT id FROM users WHERE role = 'admin' AND suspended_at IS NULL ORDER BY id FOR UPDATE`,
);

export const oldestAdmin = statement<null, UserRow>(
  'oldest-admin',
  `SELECT ${USER_COLUMNS}
     FROM users
    WHERE role = 'admin' AND suspended_at IS NULL
    ORDER BY created_at, id
    LIMIT 1`,
);

/** Serializes transactions that count rows of a user and add to them. Other references to the user can be added. */
export const lockQuota = statement<{ user_id: string }, { id: string }>(
  'lock-quota',
  `SELECT id FROM users WHERE id = :user_id FOR NO KEY UPDATE`,
);
