import { statement } from '../statement.ts';

export const touchTokens = statement<never>(
  'touch-tokens',
  `UPDATE tokens
      SET last_used_at = used.at
     FROM unnest($1::uuid[], $2::timestamptz[]) AS used (id, at)
    WHERE tokens.id = used.id AND (tokens.last_used_at IS NULL OR tokens.last_used_at < used.at)`,
);
