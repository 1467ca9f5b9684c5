/** A user as requests need it; the password's hash stays in the database. */
export const USER_COLUMNS = `users.id, users.username, users.role, users.created_at,
  users.password_hash IS NOT NULL AS has_password`;
