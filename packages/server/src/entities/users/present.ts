import type { User } from '@chatd/protocol';
import type { UserRow } from '../../store/accounts.ts';

export function presentUser(row: UserRow): User {
  return {
    id: row.id,
    username: row.username,
    role: row.role,
    has_password: row.has_password,
    suspended: row.suspended,
    spend_limit_micros: row.spend_limit_micros,
    created_at: row.created_at.toISOString(),
  };
}
