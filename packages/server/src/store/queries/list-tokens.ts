import type { TokenRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { TOKEN_COLUMNS } from './token-columns.ts';

/** Through tokens_by_user, in the order in which they were made. */
export const listTokens = statement<TokenRow>(
  'list-tokens',
  `SELECT ${TOKEN_COLUMNS}
     FROM tokens
    WHERE user_id = $1 AND ($2::uuid IS NULL OR id > $2)
    ORDER BY id
    LIMIT $3`,
);
