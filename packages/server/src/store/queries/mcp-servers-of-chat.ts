import type { McpServerRow } from '../mcp-servers.ts';
import { statement } from '../statement.ts';
import { MCP_SERVER_COLUMNS } from './mcp-server-columns.ts';

/** Those that are there and enabled, in the order of the chat. */
export const mcpServersOfChat = statement<McpServerRow>(
  'mcp-servers-of-chat',
  `SELECT ${MCP_SERVER_COLUMNS} FROM mcp_servers
    WHERE id = ANY($1::uuid[]) AND enabled
    ORDER BY array_position($1::uuid[], id)`,
);
