import type { McpSessionRow } from '../mcp-servers.ts';
import { statement } from '../statement.ts';

export const findMcpSession = statement<McpSessionRow>(
  'find-mcp-session',
  `SELECT server_id, user_id, details, secrets FROM mcp_sessions
    WHERE server_id = $1 AND user_id = $2`,
);

/** One process at a time renews a session: a refresh token may be good for one use only. */
export const lockMcpSession = statement<McpSessionRow>(
  'lock-mcp-session',
  `SELECT server_id, user_id, details, secrets FROM mcp_sessions
    WHERE server_id = $1 AND user_id = $2 FOR UPDATE`,
);

/** The MCP servers that a user has a session with. */
export const signedInServers = statement<{ readonly server_id: string }>(
  'signed-in-servers',
  `SELECT server_id FROM mcp_sessions WHERE user_id = $1`,
);

export const putMcpSession = statement<{ server_id: string }>(
  'put-mcp-session',
  `INSERT INTO mcp_sessions (server_id, user_id, details, secrets) VALUES ($1, $2, $3, $4)
   ON CONFLICT (server_id, user_id)
   DO UPDATE SET details = excluded.details, secrets = excluded.secrets, updated_at = now()
   RETURNING server_id`,
);

export const deleteMcpSession = statement<{ server_id: string }>(
  'delete-mcp-session',
  `DELETE FROM mcp_sessions WHERE server_id = $1 AND user_id = $2 RETURNING server_id`,
);

/** Of all users, and of those who are on their way: the server that they signed in to is another now. */
export const forgetMcpSessions = statement<{ server_id: string }>(
  'forget-mcp-sessions',
  `WITH begun AS (DELETE FROM mcp_sign_ins WHERE server_id = $1)
   DELETE FROM mcp_sessions WHERE server_id = $1 RETURNING server_id`,
);

/** Unless it was renewed meanwhile. */
export const resealMcpSession = statement<{ server_id: string }>(
  'reseal-mcp-session',
  `UPDATE mcp_sessions SET secrets = $4 WHERE server_id = $1 AND user_id = $2 AND secrets = $3
   RETURNING server_id`,
);

/** Those that are over go. */
export const insertMcpSignIn = statement<{ expires_at: Date }>(
  'insert-mcp-sign-in',
  `WITH over AS (DELETE FROM mcp_sign_ins WHERE expires_at < now())
   INSERT INTO mcp_sign_ins (state_hash, server_id, user_id, details, secrets, expires_at)
   VALUES ($1, $2, $3, $4, $5, now() + $6 * interval '1 millisecond')
   RETURNING expires_at`,
);

/** Once, by whoever began it. */
export const takeMcpSignIn = statement<McpSessionRow>(
  'take-mcp-sign-in',
  `DELETE FROM mcp_sign_ins WHERE state_hash = $1 AND user_id = $2 AND expires_at > now()
   RETURNING server_id, user_id, details, secrets`,
);
