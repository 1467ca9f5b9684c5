import type { McpSessionRow } from '../mcp-servers.ts';
import type { JsonText } from '../json.ts';
import { statement } from '../statement.ts';

export const findMcpSession = statement<{ server_id: string; user_id: string }, McpSessionRow>(
  'find-mcp-session',
  `SELECT server_id, user_id, details, secrets FROM mcp_sessions
    WHERE server_id = :server_id AND user_id = :user_id`,
);

/** Serializes renewals of a session: a refresh token may be valid for one use only. */
export const lockMcpSession = statement<{ server_id: string; user_id: string }, McpSessionRow>(
  'lock-mcp-session',
  `SELECT server_id, user_id, details, secrets FROM mcp_sessions
    WHERE server_id = :server_id AND user_id = :user_id FOR UPDATE`,
);

/** The MCP servers that a user has a session with. */
export const signedInServers = statement<{ user_id: string }, { readonly server_id: string }>(
  'signed-in-servers',
  `SELECT server_id FROM mcp_sessions WHERE user_id = :user_id`,
);

export const putMcpSession = statement<
  {
    server_id: string;
    user_id: string;
    details: JsonText;
    secrets: string;
  },
  { server_id: string }
>(
  'put-mcp-session',
  `INSERT INTO mcp_sessions (server_id, user_id, details, secrets) VALUES (:server_id, :user_id, :details, :secrets)
   ON CONFLICT (server_id, user_id)
   DO UPDATE SET details = excluded.details, secrets = excluded.secrets, updated_at = now()
   RETURNING server_id`,
);

export const deleteMcpSession = statement<
  { server_id: string; user_id: string },
  { server_id: string }
>(
  'delete-mcp-session',
  `DELETE FROM mcp_sessions WHERE server_id = :server_id AND user_id = :user_id RETURNING server_id`,
);

/** Deletes all sessions and pending sign-ins, because the server has another endpoint. */
export const forgetMcpSessions = statement<{ server_id: string }, { server_id: string }>(
  'forget-mcp-sessions',
  `WITH begun AS (DELETE FROM mcp_sign_ins WHERE server_id = :server_id)
   DELETE FROM mcp_sessions WHERE server_id = :server_id RETURNING server_id`,
);

/** Unless the session was renewed meanwhile. */
export const resealMcpSession = statement<
  {
    server_id: string;
    user_id: string;
    before: string;
    after: string;
  },
  { server_id: string }
>(
  'reseal-mcp-session',
  `UPDATE mcp_sessions SET secrets = :after WHERE server_id = :server_id AND user_id = :user_id AND secrets = :before
   RETURNING server_id`,
);

/** Also deletes expired sign-ins. */
export const insertMcpSignIn = statement<
  {
    state_hash: Buffer;
    server_id: string;
    user_id: string;
    details: JsonText;
    secrets: string;
    ttl_ms: number;
  },
  { expires_at: Date }
>(
  'insert-mcp-sign-in',
  `WITH over AS (DELETE FROM mcp_sign_ins WHERE expires_at < now())
   INSERT INTO mcp_sign_ins (state_hash, server_id, user_id, details, secrets, expires_at)
   VALUES (:state_hash, :server_id, :user_id, :details, :secrets, now() + :ttl_ms * interval '1 millisecond')
   RETURNING expires_at`,
);

/** Can be used once, by the user who began it. */
export const takeMcpSignIn = statement<{ state_hash: Buffer; user_id: string }, McpSessionRow>(
  'take-mcp-sign-in',
  `DELETE FROM mcp_sign_ins WHERE state_hash = :state_hash AND user_id = :user_id AND expires_at > now()
   RETURNING server_id, user_id, details, secrets`,
);
