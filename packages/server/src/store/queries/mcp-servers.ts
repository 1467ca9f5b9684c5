import type { ListedMcpServer, McpServerRow } from '../mcp-servers.ts';
import { statement } from '../statement.ts';

export const MCP_SERVER_COLUMNS = `mcp_servers.id, mcp_servers.name, mcp_servers.transport, mcp_servers.url,
  mcp_servers.command, mcp_servers.args, mcp_servers.cwd, mcp_servers.limits, mcp_servers.auth, mcp_servers.secrets, mcp_servers.env_names,
  mcp_servers.tool_allow, mcp_servers.tool_deny, mcp_servers.timeout_seconds, mcp_servers.trusted,
  mcp_servers.default_on, mcp_servers.enabled, mcp_servers.created_at, mcp_servers.revision`;

export const findMcpServer = statement<ListedMcpServer>(
  'find-mcp-server',
  `SELECT ${MCP_SERVER_COLUMNS}, mcp_sessions.user_id IS NOT NULL AS signed_in
     FROM mcp_servers
     LEFT JOIN mcp_sessions ON mcp_sessions.server_id = mcp_servers.id AND mcp_sessions.user_id = $2
    WHERE mcp_servers.id = $1`,
);

/** For a change that depends on what there is. */
export const lockMcpServer = statement<McpServerRow>(
  'lock-mcp-server',
  `SELECT ${MCP_SERVER_COLUMNS} FROM mcp_servers WHERE id = $1 FOR UPDATE`,
);

export const listMcpServers = statement<ListedMcpServer>(
  'list-mcp-servers',
  `SELECT ${MCP_SERVER_COLUMNS}, mcp_sessions.user_id IS NOT NULL AS signed_in
     FROM mcp_servers
     LEFT JOIN mcp_sessions ON mcp_sessions.server_id = mcp_servers.id AND mcp_sessions.user_id = $1
    ORDER BY mcp_servers.created_at, mcp_servers.id`,
);

/** Those that are there and enabled, in the order of the chat. */
export const mcpServersOfChat = statement<McpServerRow>(
  'mcp-servers-of-chat',
  `SELECT ${MCP_SERVER_COLUMNS} FROM mcp_servers
    WHERE id = ANY($1::uuid[]) AND enabled
    ORDER BY array_position($1::uuid[], id)`,
);

export const usableMcpServers = statement<{ id: string }>(
  'usable-mcp-servers',
  `SELECT id FROM mcp_servers WHERE enabled`,
);

/** No row: the name is taken. */
export const insertMcpServer = statement<McpServerRow>(
  'insert-mcp-server',
  `INSERT INTO mcp_servers
     (id, transport, name, url, command, args, auth, secrets, env_names, tool_allow, tool_deny,
      timeout_seconds, trusted, default_on, enabled, cwd, limits)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
   ON CONFLICT (name) DO NOTHING
   RETURNING ${MCP_SERVER_COLUMNS}`,
);

/** The whole row, as it was worked out under its lock. No row: another one has the name. */
export const updateMcpServer = statement<McpServerRow>(
  'update-mcp-server',
  `UPDATE mcp_servers
      SET name = $2, url = $3, command = $4, args = $5, auth = $6, secrets = $7, env_names = $8,
          tool_allow = $9, tool_deny = $10, timeout_seconds = $11, trusted = $12, default_on = $13,
          enabled = $14, cwd = $15, limits = $16, revision = revision + 1
    WHERE id = $1
      AND NOT EXISTS (SELECT 1 FROM mcp_servers other WHERE other.name = $2 AND other.id <> $1)
   RETURNING ${MCP_SERVER_COLUMNS}`,
);

export const deleteMcpServer = statement<{ id: string }>(
  'delete-mcp-server',
  `DELETE FROM mcp_servers WHERE id = $1 RETURNING id`,
);

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

/** Unless somebody stored other secrets meanwhile. */
export const resealMcpServer = statement<{ id: string }>(
  'reseal-mcp-server',
  `UPDATE mcp_servers SET secrets = $3 WHERE id = $1 AND secrets = $2 RETURNING id`,
);
