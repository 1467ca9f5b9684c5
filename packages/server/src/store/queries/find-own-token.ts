import type { TokenRow } from '../accounts.ts';
import { statement } from '../statement.ts';
import { TOKEN_COLUMNS } from './token-columns.ts';

export const findOwnToken = statement<TokenRow>(
  'find-own-token',
  `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE id = $1 AND user_id = $2`,
);
