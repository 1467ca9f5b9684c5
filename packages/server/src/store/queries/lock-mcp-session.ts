import type { McpSessionRow } from '../mcp-servers.ts';
import { statement } from '../statement.ts';

/** One process at a time renews a session: a refresh token may be good for one use only. */
export const lockMcpSession = statement<McpSessionRow>(
  'lock-mcp-session',
  `SELECT server_id, user_id, details, secrets FROM mcp_sessions
    WHERE server_id = $1 AND user_id = $2 FOR UPDATE`,
);
