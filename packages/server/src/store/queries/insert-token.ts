import type { TokenRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { TOKEN_COLUMNS } from './token-columns.ts';

/** No row: there is no such user. */
export const insertToken = statement<TokenRow>(
  'insert-token',
  `INSERT INTO tokens (id, user_id, name, secret_hash, scopes, expires_at)
   SELECT $1, users.id, $3, $4, $5, $6
     FROM users
    WHERE users.id = $2
   RETURNING ${TOKEN_COLUMNS}`,
);
