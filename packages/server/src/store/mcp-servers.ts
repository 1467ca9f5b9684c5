import type { McpAuth, McpProgramLimits, McpTransport } from '@chatd/protocol';
import { Refused } from '../chat/refused.ts';
import { usableMcpServers } from './queries/mcp-servers.ts';
import type { Queryable } from './statement.ts';

export interface McpServerRow {
  readonly id: string;
  readonly name: string;
  readonly transport: McpTransport;
  readonly url: string | null;
  readonly command: string | null;
  readonly args: readonly string[];
  readonly cwd: string | null;
  readonly limits: McpProgramLimits;
  readonly auth: McpAuth;
  /** Sealed. */
  readonly secrets: string | null;
  readonly env_names: readonly string[];
  readonly tool_allow: readonly string[] | null;
  readonly tool_deny: readonly string[];
  readonly timeout_seconds: number;
  readonly trusted: boolean;
  readonly default_on: boolean;
  readonly enabled: boolean;
  /** The groups whose members can use it. Null: all users. */
  readonly group_ids: readonly string[] | null;
  readonly created_at: Date;
  readonly revision: number;
}

/** With the session of the requesting user. */
export interface ListedMcpServer extends McpServerRow {
  readonly signed_in: boolean;
  /** The user can use it: it is enabled, and not restricted to other groups. */
  readonly usable: boolean;
}

export interface McpSessionRow {
  readonly server_id: string;
  readonly user_id: string;
  readonly details: unknown;
  /** Sealed. */
  readonly secrets: string;
}

/** One session per user and server. */
export const needsSignIn = ({ auth }: Pick<McpServerRow, 'auth'>): boolean =>
  auth.type === 'oauth' && auth.grant === 'authorization_code';

/** The context that a ciphertext is bound to. */
export const mcpSecretsOf = (id: string): string => `mcp_servers/${id}`;
export const mcpSessionOf = (serverId: string, userId: string): string =>
  `mcp_sessions/${serverId}/${userId}`;
export const mcpSignInOf = (serverId: string, userId: string): string =>
  `mcp_sign_ins/${serverId}/${userId}`;

/**
 * The servers that a client requests for a chat, without duplicates. Refuses those that the owner cannot use. Null: not
 * specified.
 */
export async function usableServers(
  db: Queryable,
  requested: readonly string[] | undefined,
  owner_id: string,
): Promise<string[] | null> {
  if (requested === undefined) return null;
  if (requested.length === 0) return [];
  const known = new Set((await db.query(usableMcpServers, { owner_id })).map(({ id }) => id));
  const wanted = [...new Set(requested.map((id) => id.toLowerCase()))];
  const missing = wanted.find((id) => !known.has(id));
  if (missing === undefined) return wanted;
  throw new Refused('unknown_mcp_server', `MCP server ${missing} does not exist or is disabled.`);
}
