import type { McpServer } from '@chatd/protocol';
import { type ListedMcpServer, needsSignIn } from '../../store/mcp-servers.ts';

/** What it takes to choose it for a chat. */
export const presentMcpServerToMember = (row: ListedMcpServer): McpServer => ({
  id: row.id,
  name: row.name,
  enabled: row.enabled,
  default_on: row.default_on,
  needs_sign_in: needsSignIn(row),
  signed_in: row.signed_in,
});

export const presentMcpServer = (row: ListedMcpServer): McpServer => ({
  ...presentMcpServerToMember(row),
  transport: row.transport,
  ...(row.url !== null && { url: row.url }),
  ...(row.command !== null && {
    command: row.command,
    args: [...row.args],
    env_names: [...row.env_names],
    ...(row.cwd !== null && { cwd: row.cwd }),
    limits: row.limits,
  }),
  auth: row.auth,
  tool_allow: row.tool_allow === null ? null : [...row.tool_allow],
  tool_deny: [...row.tool_deny],
  timeout_seconds: row.timeout_seconds,
  trusted: row.trusted,
  group_ids: row.group_ids === null ? null : [...row.group_ids],
  created_at: row.created_at.toISOString(),
});
