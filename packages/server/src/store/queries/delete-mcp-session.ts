import { statement } from '../statement.ts';

export const deleteMcpSession = statement<{ server_id: string }>(
  'delete-mcp-session',
  `DELETE FROM mcp_sessions WHERE server_id = $1 AND user_id = $2 RETURNING server_id`,
);
