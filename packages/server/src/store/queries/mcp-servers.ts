import type { ListedMcpServer, McpServerRow } from '../mcp-servers.ts';
import type { JsonText } from '../json.ts';
import { statement } from '../statement.ts';
import { usableBy } from './groups.ts';

const MCP_SERVER_COLUMNS = `mcp_servers.id, mcp_servers.name, mcp_servers.transport, mcp_servers.url,
  mcp_servers.command, mcp_servers.args, mcp_servers.cwd, mcp_servers.limits, mcp_servers.auth, mcp_servers.secrets, mcp_servers.env_names,
  mcp_servers.tool_allow, mcp_servers.tool_deny, mcp_servers.timeout_seconds, mcp_servers.trusted,
  mcp_servers.default_on, mcp_servers.enabled, mcp_servers.group_ids, mcp_servers.created_at, mcp_servers.revision`;

const FOR_USER = `mcp_sessions.user_id IS NOT NULL AS signed_in,
  mcp_servers.enabled AND ${usableBy('mcp_servers', ':user_id')} AS usable`;

export const findMcpServer = statement<{ id: string; user_id: string }, ListedMcpServer>(
  'find-mcp-server',
  `SELECT ${MCP_SERVER_COLUMNS}, ${FOR_USER}
     FROM mcp_servers
     LEFT JOIN mcp_sessions ON mcp_sessions.server_id = mcp_servers.id AND mcp_sessions.user_id = :user_id
    WHERE mcp_servers.id = :id`,
);

/** Locks the server for a change. */
export const lockMcpServer = statement<{ id: string }, McpServerRow>(
  'lock-mcp-server',
  `SELECT ${MCP_SERVER_COLUMNS} FROM mcp_servers WHERE id = :id FOR UPDATE`,
);

export const listMcpServers = statement<{ user_id: string }, ListedMcpServer>(
  'list-mcp-servers',
  `SELECT ${MCP_SERVER_COLUMNS}, ${FOR_USER}
     FROM mcp_servers
     LEFT JOIN mcp_sessions ON mcp_sessions.server_id = mcp_servers.id AND mcp_sessions.user_id = :user_id
    ORDER BY mcp_servers.created_at, mcp_servers.id`,
);

/** The servers of a chat that its owner can use, in its order. */
export const mcpServersOfChat = statement<
  { ids: readonly string[]; owner_id: string },
  McpServerRow
>(
  'mcp-servers-of-chat',
  `SELECT ${MCP_SERVER_COLUMNS} FROM mcp_servers
    WHERE id = ANY(:ids::uuid[]) AND enabled AND ${usableBy('mcp_servers', ':owner_id')}
    ORDER BY array_position(:ids::uuid[], id)`,
);

export const usableMcpServers = statement<{ owner_id: string }, { id: string }>(
  'usable-mcp-servers',
  `SELECT id FROM mcp_servers WHERE enabled AND ${usableBy('mcp_servers', ':owner_id')}`,
);

interface McpServerParams extends Omit<
  McpServerRow,
  'auth' | 'limits' | 'created_at' | 'revision'
> {
  auth: JsonText;
  limits: JsonText;
}

/** No row: the name is taken. */
export const insertMcpServer = statement<McpServerParams, McpServerRow>(
  'insert-mcp-server',
  `INSERT INTO mcp_servers
     (id, transport, name, url, command, args, auth, secrets, env_names, tool_allow, tool_deny,
      timeout_seconds, trusted, default_on, enabled, cwd, limits, group_ids)
   VALUES (:id, :transport, :name, :url, :command, :args, :auth, :secrets, :env_names, :tool_allow, :tool_deny, :timeout_seconds, :trusted, :default_on, :enabled, :cwd, :limits, :group_ids)
   ON CONFLICT (name) DO NOTHING
   RETURNING ${MCP_SERVER_COLUMNS}`,
);

/** No row: the name is taken. */
export const updateMcpServer = statement<Omit<McpServerParams, 'transport'>, McpServerRow>(
  'update-mcp-server',
  `UPDATE mcp_servers
      SET name = :name, url = :url, command = :command, args = :args, auth = :auth, secrets = :secrets, env_names = :env_names,
          tool_allow = :tool_allow, tool_deny = :tool_deny, timeout_seconds = :timeout_seconds, trusted = :trusted, default_on = :default_on,
          enabled = :enabled, cwd = :cwd, limits = :limits, group_ids = :group_ids, revision = revision + 1
    WHERE id = :id
      AND NOT EXISTS (SELECT 1 FROM mcp_servers other WHERE other.name = :name AND other.id <> :id)
   RETURNING ${MCP_SERVER_COLUMNS}`,
);

export const deleteMcpServer = statement<{ id: string }, { id: string }>(
  'delete-mcp-server',
  `DELETE FROM mcp_servers WHERE id = :id RETURNING id`,
);

/** All sealed secrets, of servers and of user sessions. */
export const listSealedMcp = statement<
  null,
  {
    server_id: string;
    user_id: string | null;
    secrets: string;
  }
>(
  'list-sealed-mcp',
  `SELECT id AS server_id, NULL::uuid AS user_id, secrets FROM mcp_servers WHERE secrets IS NOT NULL
   UNION ALL
   SELECT server_id, user_id, secrets FROM mcp_sessions`,
);

/** Unless the secrets were changed meanwhile. */
export const resealMcpServer = statement<
  { id: string; before: string; after: string },
  { id: string }
>(
  'reseal-mcp-server',
  `UPDATE mcp_servers SET secrets = :after WHERE id = :id AND secrets = :before RETURNING id`,
);

/** The servers of a new chat that names none. */
export const defaultMcpServers = statement<{ owner_id: string }, { id: string }>(
  'default-mcp-servers',
  `SELECT id FROM mcp_servers
    WHERE enabled AND default_on AND ${usableBy('mcp_servers', ':owner_id')}
    ORDER BY created_at, id`,
);
