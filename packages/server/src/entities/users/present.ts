import type { Token, User } from '@chatd/protocol';
import type { TokenRow, UserRow } from '../../store/accounts.ts';

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

export function presentToken(row: TokenRow): Token {
  return {
    id: row.id,
    user_id: row.user_id,
    name: row.name,
    scopes: row.scopes === null ? null : [...row.scopes],
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}
