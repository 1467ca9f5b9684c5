import type { ListedMcpServer } from '../mcp-servers.ts';
import { statement } from '../statement.ts';
import { MCP_SERVER_COLUMNS } from './mcp-server-columns.ts';

export const listMcpServers = statement<ListedMcpServer>(
  'list-mcp-servers',
  `SELECT ${MCP_SERVER_COLUMNS}, mcp_sessions.user_id IS NOT NULL AS signed_in
     FROM mcp_servers
     LEFT JOIN mcp_sessions ON mcp_sessions.server_id = mcp_servers.id AND mcp_sessions.user_id = $1
    ORDER BY mcp_servers.created_at, mcp_servers.id`,
);
