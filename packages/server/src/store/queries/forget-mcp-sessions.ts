import { statement } from '../statement.ts';

/** Of all users, and of those who are on their way: the server that they signed in to is another now. */
export const forgetMcpSessions = statement<{ server_id: string }>(
  'forget-mcp-sessions',
  `WITH begun AS (DELETE FROM mcp_sign_ins WHERE server_id = $1)
   DELETE FROM mcp_sessions WHERE server_id = $1 RETURNING server_id`,
);
