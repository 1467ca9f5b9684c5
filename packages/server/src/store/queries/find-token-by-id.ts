import type { TokenRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { TOKEN_COLUMNS } from './token-columns.ts';

/** A token of any user. */
export const findTokenById = statement<TokenRow>(
  'find-token-by-id',
  `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE id = $1`,
);
