import { statement } from '../statement.ts';

export const putMcpSession = statement<{ server_id: string }>(
  'put-mcp-session',
  `INSERT INTO mcp_sessions (server_id, user_id, details, secrets) VALUES ($1, $2, $3, $4)
   ON CONFLICT (server_id, user_id)
   DO UPDATE SET details = excluded.details, secrets = excluded.secrets, updated_at = now()
   RETURNING server_id`,
);
