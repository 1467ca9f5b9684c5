import { statement } from '../statement.ts';

/** Unless it was renewed meanwhile. */
export const resealMcpSession = statement<{ server_id: string }>(
  'reseal-mcp-session',
  `UPDATE mcp_sessions SET secrets = $4 WHERE server_id = $1 AND user_id = $2 AND secrets = $3
   RETURNING server_id`,
);
