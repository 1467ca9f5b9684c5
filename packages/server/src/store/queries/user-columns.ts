/** A user as requests need it; the password's hash stays in the database. */
export const USER_COLUMNS = `users.id, users.username, users.role, users.created_at,
  users.spend_limit_micros,
  users.password_hash IS NOT NULL AS has_password, users.suspended_at IS NOT NULL AS suspended`;
