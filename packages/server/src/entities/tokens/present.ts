import type { Token } from '@chatd/protocol';
import type { TokenRow } from '../../store/accounts.ts';

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
