import type { McpServerRow } from '../mcp-servers.ts';
import { statement } from '../statement.ts';
import { MCP_SERVER_COLUMNS } from './mcp-server-columns.ts';

/** The whole row, as it was worked out under its lock. No row: another one has the name. */
export const updateMcpServer = statement<McpServerRow>(
  'update-mcp-server',
  `UPDATE mcp_servers
      SET name = $2, url = $3, command = $4, args = $5, auth = $6, secrets = $7, env_names = $8,
          tool_allow = $9, tool_deny = $10, timeout_seconds = $11, trusted = $12, default_on = $13,
          enabled = $14, cwd = $15, limits = $16, revision = revision + 1
    WHERE id = $1
      AND NOT EXISTS (SELECT 1 FROM mcp_servers other WHERE other.name = $2 AND other.id <> $1)
   RETURNING ${MCP_SERVER_COLUMNS}`,
);
