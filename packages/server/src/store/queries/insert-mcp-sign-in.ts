import { statement } from '../statement.ts';

/** Those that are over go. */
export const insertMcpSignIn = statement<{ expires_at: Date }>(
  'insert-mcp-sign-in',
  `WITH over AS (DELETE FROM mcp_sign_ins WHERE expires_at < now())
   INSERT INTO mcp_sign_ins (state_hash, server_id, user_id, details, secrets, expires_at)
   VALUES ($1, $2, $3, $4, $5, now() + $6 * interval '1 millisecond')
   RETURNING expires_at`,
);
