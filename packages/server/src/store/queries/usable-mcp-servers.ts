import { statement } from '../statement.ts';

export const usableMcpServers = statement<{ id: string; default_on: boolean }>(
  'usable-mcp-servers',
  `SELECT id, default_on FROM mcp_servers WHERE enabled ORDER BY created_at, id`,
);
