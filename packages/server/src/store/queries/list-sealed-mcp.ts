import { statement } from '../statement.ts';

/** All that is encrypted; a user stands where it is a session. Sign-ins that are begun are over soon. */
export const listSealedMcp = statement<{
  server_id: string;
  user_id: string | null;
  secrets: string;
}>(
  'list-sealed-mcp',
  `SELECT id AS server_id, NULL::uuid AS user_id, secrets FROM mcp_servers WHERE secrets IS NOT NULL
   UNION ALL
   SELECT server_id, user_id, secrets FROM mcp_sessions`,
);
