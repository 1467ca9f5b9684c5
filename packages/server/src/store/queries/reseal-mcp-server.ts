import { statement } from '../statement.ts';

/** Unless somebody stored other secrets meanwhile. */
export const resealMcpServer = statement<{ id: string }>(
  'reseal-mcp-server',
  `UPDATE mcp_servers SET secrets = $3 WHERE id = $1 AND secrets = $2 RETURNING id`,
);
