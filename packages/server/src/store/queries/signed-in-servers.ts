import { statement } from '../statement.ts';

/** The MCP servers that a user has a session with. */
export const signedInServers = statement<{ readonly server_id: string }>(
  'signed-in-servers',
  `SELECT server_id FROM mcp_sessions WHERE user_id = $1`,
);
