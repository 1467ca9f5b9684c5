import type { McpServerRow } from '../mcp-servers.ts';
import { statement } from '../statement.ts';
import { MCP_SERVER_COLUMNS } from './mcp-server-columns.ts';

/** For a change that depends on what there is. */
export const lockMcpServer = statement<McpServerRow>(
  'lock-mcp-server',
  `SELECT ${MCP_SERVER_COLUMNS} FROM mcp_servers WHERE id = $1 FOR UPDATE`,
);
