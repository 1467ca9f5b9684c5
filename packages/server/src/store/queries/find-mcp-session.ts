import type { McpSessionRow } from '../mcp-servers.ts';
import { statement } from '../statement.ts';

export const findMcpSession = statement<McpSessionRow>(
  'find-mcp-session',
  `SELECT server_id, user_id, details, secrets FROM mcp_sessions
    WHERE server_id = $1 AND user_id = $2`,
);
