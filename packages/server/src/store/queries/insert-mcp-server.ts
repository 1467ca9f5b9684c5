import type { McpServerRow } from '../mcp-servers.ts';
import { statement } from '../statement.ts';
import { MCP_SERVER_COLUMNS } from './mcp-server-columns.ts';

/** No row: the name is taken. */
export const insertMcpServer = statement<McpServerRow>(
  'insert-mcp-server',
  `INSERT INTO mcp_servers
     (id, transport, name, url, command, args, auth, secrets, env_names, tool_allow, tool_deny,
      timeout_seconds, trusted, default_on, enabled, cwd, limits)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
   ON CONFLICT (name) DO NOTHING
   RETURNING ${MCP_SERVER_COLUMNS}`,
);
