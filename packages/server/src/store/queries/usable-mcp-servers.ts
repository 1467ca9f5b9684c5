import { statement } from '../statement.ts';

export const usableMcpServers = statement<{ id: string }>(
  'usable-mcp-servers',
  `SELECT id FROM mcp_servers WHERE enabled`,
);
