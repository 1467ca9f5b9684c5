import type { McpSessionRow } from '../mcp-servers.ts';
import { statement } from '../statement.ts';

/** Once, by whoever began it. */
export const takeMcpSignIn = statement<McpSessionRow>(
  'take-mcp-sign-in',
  `DELETE FROM mcp_sign_ins WHERE state_hash = $1 AND user_id = $2 AND expires_at > now()
   RETURNING server_id, user_id, details, secrets`,
);
