import { z } from 'zod';
import { GROUP_IDS, GroupIds } from '../group.ts';
import { Uuid } from '../ids.ts';
import {
  McpAuthInput,
  McpProgramLimits,
  McpSecret,
  McpServer,
  McpServerName,
  McpServerTest,
  McpSignIn,
  McpTransport,
} from '../mcp-server.ts';
import { NoNextCursor } from '../page.ts';
import { routeWith } from '../route.ts';

const route = routeWith('MCP servers');
const McpServerParams = z.strictObject({ mcp_server_id: Uuid.describe('ID of the MCP server.') });

const McpUrl = z.string().min(1).max(2000);
const Command = z.string().min(1).max(4096);
const Args = z.array(z.string().max(32_768)).max(256);
const Environment = z
  .record(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is not a valid variable name'),
    McpSecret,
  )
  .refine((env) => Object.keys(env).length <= 64, 'must have at most 64 variables');
const WorkingDirectory = z
  .string()
  .max(4096)
  .regex(/^\/[^\0]*$/, 'must be an absolute path');
const Patterns = z.array(z.string().min(1).max(128)).max(256);
const Timeout = z.int().min(1).max(86_400);

const WORDS = {
  name: {
    description:
      'Unique slug: `a-z`, `0-9` and single hyphens, at most 32 characters. To agents, the tool `search` of `github` is `github__search`.',
    examples: ['github'],
  },
  url: {
    description:
      'URL of the server. Required for `http` and `sse`. Private addresses may be refused.',
    examples: ['https://example.org/mcp'],
  },
  command: {
    description:
      'Program of the server. Required for `stdio`. Started without a shell and without a sandbox, as the user that chatd runs as.',
    examples: ['npx'],
  },
  args: {
    description: 'Arguments of the program, passed unchanged. Only with `stdio`.',
    examples: [['-y', 'some-mcp-server']],
  },
  env: {
    description:
      'Environment variables of the program, in addition to `PATH` and `HOME` of chatd. At most 64. Write-only and stored encrypted. Only with `stdio`.',
    examples: [{ API_TOKEN: 'abc' }],
  },
  cwd: {
    description:
      'Working directory of the program, an absolute path. Default: null, the directory for temporary files. Only with `stdio`.',
    examples: ['/srv/projects'],
  },
  limits: {
    description: 'Resource limits of the program. Replaced as a whole. Only with `stdio`.',
    examples: [{ memory_mb: 512 }],
  },
  auth: { description: 'Authentication. Only with `http` and `sse`.' },
  tool_allow: {
    description:
      "Patterns of allowed tools, matched against the server's own tool names. `*` matches any text, `?` one character. Null: all tools.",
    examples: [['search_*']],
  },
  tool_deny: {
    description: 'Patterns of denied tools. Takes precedence over `tool_allow`.',
    examples: [['delete_*']],
  },
  timeout_seconds: { description: 'Max time without progress in a tool call, in seconds.' },
  trusted: {
    description:
      "Trusts the server's tool annotations: read-only and idempotent tools are rerun after a crash, and read-only tools are available in plan mode.",
  },
  default_on: { description: 'Adds the server to new chats that do not set `mcp_server_ids`.' },
  enabled: { description: 'Allows chats to use the server.' },
};

export const mcpServerRoutes = {
  listMcpServers: route({
    method: 'get',
    path: '/mcp-servers',
    summary: 'List MCP servers; members see those that their chats can use',
    description:
      'Sorted by creation time. Admins with the `admin` scope see all servers and all fields.',
    scope: 'read',
    answers: {
      200: z.object({
        mcp_servers: z.array(McpServer).describe('All visible servers.'),
        next_cursor: NoNextCursor,
      }),
    },
  }),
  createMcpServer: route({
    method: 'post',
    path: '/mcp-servers',
    summary: 'Add an MCP server by its URL or command',
    description: 'Validates the URL, but not the authentication. Test it with `testMcpServer`.',
    scope: 'admin',
    body: z
      .strictObject({
        name: McpServerName.meta(WORDS.name),
        transport: McpTransport.describe('Transport of the server. Cannot be changed.'),
        url: McpUrl.optional().meta(WORDS.url),
        command: Command.optional().meta(WORDS.command),
        args: Args.optional().meta(WORDS.args),
        env: Environment.optional().meta(WORDS.env),
        cwd: WorkingDirectory.nullable().optional().meta(WORDS.cwd),
        limits: McpProgramLimits.optional().meta(WORDS.limits),
        auth: McpAuthInput.optional().meta(WORDS.auth),
        tool_allow: Patterns.nullable().optional().meta(WORDS.tool_allow),
        tool_deny: Patterns.optional().meta(WORDS.tool_deny),
        timeout_seconds: Timeout.default(300).meta(WORDS.timeout_seconds),
        trusted: z.boolean().default(false).meta(WORDS.trusted),
        default_on: z.boolean().default(false).meta(WORDS.default_on),
        enabled: z.boolean().default(true).meta(WORDS.enabled),
        group_ids: GroupIds.optional().describe(`${GROUP_IDS} Default: null.`),
      })
      .meta({
        examples: [{ name: 'github', transport: 'http', url: 'https://example.org/mcp' }],
      }),
    answers: { 201: McpServer },
    refusals: ['url_not_allowed', 'secret_key_required', 'mcp_server_name_taken', 'unknown_group'],
    secret: true,
    audit: { action: 'mcp_server.create', values: ['name', 'transport', 'group_ids'] },
  }),
  getMcpServer: route({
    method: 'get',
    path: '/mcp-servers/{mcp_server_id}',
    summary: 'Get an MCP server',
    description: 'Without its secrets.',
    scope: 'admin',
    params: McpServerParams,
    answers: { 200: McpServer },
  }),
  updateMcpServer: route({
    method: 'patch',
    path: '/mcp-servers/{mcp_server_id}',
    summary: 'Change an MCP server',
    description:
      'Omitted fields do not change; `env` and `auth` are replaced as a whole. The transport cannot be changed. Changing `url` or `auth` signs out all users.',
    scope: 'admin',
    params: McpServerParams,
    body: z.strictObject({
      name: McpServerName.optional().meta(WORDS.name),
      url: McpUrl.optional().meta(WORDS.url),
      command: Command.optional().meta(WORDS.command),
      args: Args.optional().meta(WORDS.args),
      env: Environment.optional().meta(WORDS.env),
      cwd: WorkingDirectory.nullable().optional().meta(WORDS.cwd),
      limits: McpProgramLimits.optional().meta(WORDS.limits),
      auth: McpAuthInput.optional().meta(WORDS.auth),
      tool_allow: Patterns.nullable().optional().meta(WORDS.tool_allow),
      tool_deny: Patterns.optional().meta(WORDS.tool_deny),
      timeout_seconds: Timeout.optional().meta(WORDS.timeout_seconds),
      trusted: z.boolean().optional().meta(WORDS.trusted),
      default_on: z.boolean().optional().meta(WORDS.default_on),
      enabled: z.boolean().optional().meta(WORDS.enabled),
      group_ids: GroupIds.optional().describe(GROUP_IDS),
    }),
    answers: { 200: McpServer },
    refusals: ['url_not_allowed', 'secret_key_required', 'mcp_server_name_taken', 'unknown_group'],
    secret: true,
    audit: { action: 'mcp_server.update', values: ['name', 'transport', 'group_ids'] },
  }),
  deleteMcpServer: route({
    method: 'delete',
    path: '/mcp-servers/{mcp_server_id}',
    summary: 'Delete an MCP server',
    description: 'Cannot be undone. Chats continue without its tools. Signs out all users.',
    scope: 'admin',
    params: McpServerParams,
    answers: { 204: null },
    audit: { action: 'mcp_server.delete' },
  }),
  testMcpServer: route({
    method: 'post',
    path: '/mcp-servers/{mcp_server_id}/test',
    summary: 'Test the connection to an MCP server',
    description:
      'Connects as you and lists the tools with the names that agents see. A failure is part of the response, not an error status.',
    scope: 'admin',
    params: McpServerParams,
    answers: { 200: McpServerTest },
    secret: true,
  }),
  signInToMcpServer: route({
    method: 'post',
    path: '/mcp-servers/{mcp_server_id}/sign-in',
    summary: 'Start a sign-in to an MCP server',
    description:
      'Open the URL in a browser. It returns to `/mcp/callback`, where the browser must be signed in to chatd as you. Otherwise, pass the parameters of that address to `finishMcpSignIn`.',
    scope: 'write',
    params: McpServerParams,
    answers: { 200: McpSignIn },
    refusals: ['mcp_no_sign_in', 'mcp_sign_in_failed', 'secret_key_required'],
    secret: true,
  }),
  finishMcpSignIn: route({
    method: 'post',
    path: '/mcp-servers/{mcp_server_id}/sign-in/finish',
    summary: 'Complete a sign-in with the parameters of the callback address',
    description:
      'For clients whose browser is not signed in to chatd. A sign-in can be completed once, within 15 minutes.',
    scope: 'write',
    params: McpServerParams,
    body: z.strictObject({
      code: z.string().min(1).max(8192).describe('`code` of the callback address.'),
      state: z
        .string()
        .min(1)
        .max(256)
        .describe('`state` of the callback address, which identifies the sign-in.'),
      iss: z
        .string()
        .max(2000)
        .optional()
        .describe(
          '`iss` of the callback address, the issuer of the code. Omit it if the address has none.',
        ),
    }),
    answers: { 204: null },
    refusals: ['invalid_mcp_sign_in', 'mcp_sign_in_failed'],
    secret: true,
  }),
  signOutOfMcpServer: route({
    method: 'delete',
    path: '/mcp-servers/{mcp_server_id}/sign-in',
    summary: 'Sign out of an MCP server',
    description: 'Your agents can no longer use the server. The server itself is not notified.',
    scope: 'write',
    params: McpServerParams,
    answers: { 204: null },
  }),
};
