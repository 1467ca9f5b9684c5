import type { Scope } from '@chatd/protocol';
import type { TokenRow, UserRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { USER_COLUMNS } from './users.ts';

const TOKEN_COLUMNS = `tokens.id, tokens.user_id, tokens.name, tokens.scopes, tokens.created_at,
  tokens.expires_at, tokens.last_used_at`;

export interface ShownToken extends UserRow {
  readonly token_id: string;
  readonly scopes: readonly Scope[] | null;
  readonly expires_at: Date | null;
  /** By the database's clock. */
  readonly expired: boolean;
  /** Within a second: the token must not be cached. */
  readonly expires_soon: boolean;
}

/** One lookup in a unique index. */
export const findToken = statement<{ secret_hash: Buffer }, ShownToken>(
  'find-token',
  `SELECT ${USER_COLUMNS}, tokens.id AS token_id, tokens.scopes, tokens.expires_at,
          coalesce(tokens.expires_at <= now(), false) AS expired,
          coalesce(tokens.expires_at <= now() + interval '1 second', false) AS expires_soon
     FROM tokens JOIN users ON users.id = tokens.user_id
    WHERE tokens.secret_hash = :secret_hash`,
);

/** A token of any user. */
export const findTokenById = statement<{ id: string }, TokenRow>(
  'find-token-by-id',
  `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE id = :id`,
);

export const findOwnToken = statement<{ id: string; user_id: string }, TokenRow>(
  'find-own-token',
  `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE id = :id AND user_id = :user_id`,
);

/** Through tokens_by_user, in the order of creation. */
export const listTokens = statement<
  { user_id: string; after_id: string | null; limit: number },
  TokenRow
>(
  'list-tokens',
  `SELECT ${TOKEN_COLUMNS}
     FROM tokens
    WHERE user_id = :user_id AND (:after_id::uuid IS NULL OR id > :after_id)
    ORDER BY id
    LIMIT :limit`,
);

export const countTokens = statement<{ user_id: string }, { count: number }>(
  'count-tokens',
  `SELECT count(*) AS count FROM tokens WHERE user_id = :user_id`,
);

/** No row: unknown user. */
export const insertToken = statement<
  {
    id: string;
    user_id: string;
    name: string;
    secret_hash: Buffer;
    scopes: readonly string[] | null;
    expires_at: Date | null;
  },
  TokenRow
>(
  'insert-token',
  `INSERT INTO tokens (id, user_id, name, secret_hash, scopes, expires_at)
   SELECT :id, users.id, :name, :secret_hash, :scopes, :expires_at
     FROM users
    WHERE users.id = :user_id
   RETURNING ${TOKEN_COLUMNS}`,
);

/**
 * The bootstrap token is valid while servers are started with it: another one, or none (null :secret_hash), replaces
 * it. It always belongs to a current admin. Returns its users before the statement.
 */
export const replaceBootstrapToken = statement<
  { id: string; user_id: string; secret_hash: Buffer | null },
  { user_id: string }
>(
  'replace-bootstrap-token',
  `WITH ended AS (
     DELETE FROM tokens WHERE bootstrap AND secret_hash IS DISTINCT FROM :secret_hash::bytea
   ), current AS (
     INSERT INTO tokens (id, user_id, name, secret_hash, bootstrap)
     SELECT :id::uuid, :user_id::uuid, 'CHATD_ADMIN_TOKEN', :secret_hash::bytea, true
      WHERE :secret_hash::bytea IS NOT NULL
     ON CONFLICT (secret_hash) DO UPDATE SET user_id = excluded.user_id WHERE tokens.bootstrap
   )
   SELECT user_id FROM tokens WHERE bootstrap`,
);

export const touchTokens = statement<{ ids: readonly string[]; used_at: readonly Date[] }, never>(
  'touch-tokens',
  `UPDATE tokens
      SET last_used_at = used.at
     FROM unnest(:ids::uuid[], :used_at::timestamptz[]) AS used (id, at)
    WHERE tokens.id = used.id AND (tokens.last_used_at IS NULL OR tokens.last_used_at < used.at)`,
);

export const deleteToken = statement<{ id: string }, never>(
  'delete-token',
  `DELETE FROM tokens WHERE id = :id`,
);
