import { z } from 'zod';
import { Uuid } from '../ids.ts';
import {
  McpAuthInput,
  McpSecret,
  McpServer,
  McpServerName,
  McpServerTest,
  McpSignIn,
  McpTransport,
} from '../mcp-server.ts';
import { route } from '../route.ts';

const tag = 'MCP servers';
const McpServerParams = z.strictObject({ mcp_server_id: Uuid });

const McpUrl = z.string().min(1).max(2000);
const Command = z.string().min(1).max(4096);
const Args = z.array(z.string().max(32_768)).max(256);
const Environment = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is no name of a variable'), McpSecret)
  .refine((env) => Object.keys(env).length <= 64, 'must not be more than 64');
const Patterns = z.array(z.string().min(1).max(128)).max(256);
const Timeout = z.int().min(1).max(86_400);

export const mcpServerRoutes = {
  listMcpServers: route({
    method: 'get',
    path: '/mcp-servers',
    tag,
    summary: 'List MCP servers; as a member, those that your chats can use',
    scope: 'read',
    answers: { 200: z.object({ mcp_servers: z.array(McpServer) }) },
    refusals: [],
  }),
  createMcpServer: route({
    method: 'post',
    path: '/mcp-servers',
    tag,
    summary: 'Add an MCP server: by its url, or by the command that starts it',
    scope: 'admin',
    body: z.strictObject({
      name: McpServerName,
      transport: McpTransport,
      url: McpUrl.optional().describe('For http and sse'),
      command: Command.optional().describe('For stdio: a program, not a line for a shell'),
      args: Args.optional(),
      env: Environment.optional().describe('Write-only; the program gets PATH and HOME besides'),
      auth: McpAuthInput.optional(),
      tool_allow: Patterns.nullable().optional().describe('Names of its tools; * and ? match'),
      tool_deny: Patterns.optional().describe('Goes before tool_allow'),
      timeout_seconds: Timeout.default(300),
      trusted: z.boolean().default(false),
      default_on: z.boolean().default(false),
      enabled: z.boolean().default(true),
    }),
    answers: { 201: McpServer },
    refusals: ['url_not_allowed', 'secret_key_required', 'mcp_server_name_taken'],
    secret: true,
  }),
  getMcpServer: route({
    method: 'get',
    path: '/mcp-servers/{mcp_server_id}',
    tag,
    summary: 'Get an MCP server',
    scope: 'admin',
    params: McpServerParams,
    answers: { 200: McpServer },
    refusals: [],
  }),
  updateMcpServer: route({
    method: 'patch',
    path: '/mcp-servers/{mcp_server_id}',
    tag,
    summary: 'Change an MCP server; env and auth are replaced as a whole',
    scope: 'admin',
    params: McpServerParams,
    body: z.strictObject({
      name: McpServerName.optional(),
      url: McpUrl.optional(),
      command: Command.optional(),
      args: Args.optional(),
      env: Environment.optional(),
      auth: McpAuthInput.optional(),
      tool_allow: Patterns.nullable().optional(),
      tool_deny: Patterns.optional(),
      timeout_seconds: Timeout.optional(),
      trusted: z.boolean().optional(),
      default_on: z.boolean().optional(),
      enabled: z.boolean().optional(),
    }),
    answers: { 200: McpServer },
    refusals: ['url_not_allowed', 'secret_key_required', 'mcp_server_name_taken'],
    secret: true,
  }),
  deleteMcpServer: route({
    method: 'delete',
    path: '/mcp-servers/{mcp_server_id}',
    tag,
    summary: 'Delete an MCP server; chats that used it go on without it',
    scope: 'admin',
    params: McpServerParams,
    answers: { 204: null },
    refusals: [],
  }),
  testMcpServer: route({
    method: 'post',
    path: '/mcp-servers/{mcp_server_id}/test',
    tag,
    summary: 'Connect to the server, list its tools, and say what happened',
    scope: 'admin',
    params: McpServerParams,
    answers: { 200: McpServerTest },
    refusals: [],
    secret: true,
  }),
  signInToMcpServer: route({
    method: 'post',
    path: '/mcp-servers/{mcp_server_id}/sign-in',
    tag,
    summary: 'Begin to sign in to a server that wants to know who you are',
    scope: 'write',
    params: McpServerParams,
    answers: { 200: McpSignIn },
    refusals: ['mcp_no_sign_in', 'mcp_sign_in_failed', 'secret_key_required'],
    secret: true,
  }),
  finishMcpSignIn: route({
    method: 'post',
    path: '/mcp-servers/{mcp_server_id}/sign-in/finish',
    tag,
    summary:
      'End a sign-in with what the browser came back with, where it was not signed in to chatd',
    scope: 'write',
    params: McpServerParams,
    body: z.strictObject({
      code: z.string().min(1).max(8192),
      state: z.string().min(1).max(256),
      iss: z.string().max(2000).optional(),
    }),
    answers: { 204: null },
    refusals: ['invalid_mcp_sign_in', 'mcp_sign_in_failed'],
    secret: true,
  }),
  signOutOfMcpServer: route({
    method: 'delete',
    path: '/mcp-servers/{mcp_server_id}/sign-in',
    tag,
    summary: 'Forget your session with a server',
    scope: 'write',
    params: McpServerParams,
    answers: { 204: null },
    refusals: [],
  }),
};
