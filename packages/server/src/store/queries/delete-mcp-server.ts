import { statement } from '../statement.ts';

export const deleteMcpServer = statement<{ id: string }>(
  'delete-mcp-server',
  `DELETE FROM mcp_servers WHERE id = $1 RETURNING id`,
);
