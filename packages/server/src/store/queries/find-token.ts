import type { Scope } from '@chatd/protocol';
import type { UserRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { USER_COLUMNS } from './user-columns.ts';

export interface ShownToken extends UserRow {
  readonly token_id: string;
  readonly scopes: readonly Scope[] | null;
  readonly expires_at: Date | null;
  /** By the database's clock. */
  readonly expired: boolean;
}

/** Every request with a token begins with this: one look into one unique index. */
export const findToken = statement<ShownToken>(
  'find-token',
  `SELECT ${USER_COLUMNS}, tokens.id AS token_id, tokens.scopes, tokens.expires_at,
          coalesce(tokens.expires_at <= now(), false) AS expired
     FROM tokens JOIN users ON users.id = tokens.user_id
    WHERE tokens.secret_hash = $1`,
);
