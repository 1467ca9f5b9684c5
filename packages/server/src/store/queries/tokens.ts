import type { Scope } from '@chatd/protocol';
import type { TokenRow, UserRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { USER_COLUMNS } from './users.ts';

export const TOKEN_COLUMNS = `tokens.id, tokens.user_id, tokens.name, tokens.scopes, tokens.created_at,
  tokens.expires_at, tokens.last_used_at`;

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

/** A token of any user. */
export const findTokenById = statement<TokenRow>(
  'find-token-by-id',
  `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE id = $1`,
);

export const findOwnToken = statement<TokenRow>(
  'find-own-token',
  `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE id = $1 AND user_id = $2`,
);

/** Through tokens_by_user, in the order in which they were made. */
export const listTokens = statement<TokenRow>(
  'list-tokens',
  `SELECT ${TOKEN_COLUMNS}
     FROM tokens
    WHERE user_id = $1 AND ($2::uuid IS NULL OR id > $2)
    ORDER BY id
    LIMIT $3`,
);

export const countTokens = statement<{ count: number }>(
  'count-tokens',
  `SELECT count(*) AS count FROM tokens WHERE user_id = $1`,
);

/** No row: there is no such user. */
export const insertToken = statement<TokenRow>(
  'insert-token',
  `INSERT INTO tokens (id, user_id, name, secret_hash, scopes, expires_at)
   SELECT $1, users.id, $3, $4, $5, $6
     FROM users
    WHERE users.id = $2
   RETURNING ${TOKEN_COLUMNS}`,
);

/**
 * The token that the operator gave at the start is valid for as long as servers are started with it: another
 * one, or none ($3 is null), ends those before. It is always the token of somebody who is an admin now.
 */
export const replaceBootstrapToken = statement<never>(
  'replace-bootstrap-token',
  `WITH ended AS (
     DELETE FROM tokens WHERE bootstrap AND secret_hash IS DISTINCT FROM $3::bytea
   )
   INSERT INTO tokens (id, user_id, name, secret_hash, bootstrap)
   SELECT $1::uuid, $2::uuid, 'CHATD_ADMIN_TOKEN', $3::bytea, true
    WHERE $3::bytea IS NOT NULL
   ON CONFLICT (secret_hash) DO UPDATE SET user_id = excluded.user_id WHERE tokens.bootstrap`,
);

export const touchTokens = statement<never>(
  'touch-tokens',
  `UPDATE tokens
      SET last_used_at = used.at
     FROM unnest($1::uuid[], $2::timestamptz[]) AS used (id, at)
    WHERE tokens.id = used.id AND (tokens.last_used_at IS NULL OR tokens.last_used_at < used.at)`,
);

export const deleteToken = statement<never>('delete-token', `DELETE FROM tokens WHERE id = $1`);
