import { z } from 'zod';
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
import { route } from '../route.ts';

const tag = 'MCP servers';
const McpServerParams = z.strictObject({ mcp_server_id: Uuid.describe('The MCP server.') });

const McpUrl = z.string().min(1).max(2000);
const Command = z.string().min(1).max(4096);
const Args = z.array(z.string().max(32_768)).max(256);
const Environment = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is no name of a variable'), McpSecret)
  .refine((env) => Object.keys(env).length <= 64, 'must not be more than 64');
const WorkingDirectory = z
  .string()
  .max(4096)
  .regex(/^\/[^\0]*$/, 'must be an absolute path');
const Patterns = z.array(z.string().min(1).max(128)).max(256);
const Timeout = z.int().min(1).max(86_400);

const WORDS = {
  name: {
    description:
      'A slug, unique: `a-z`, `0-9` and single hyphens, at most 32. The tool `search` of `github` is `github__search` to agents.',
    examples: ['github'],
  },
  url: {
    description: 'Where it is; needed for `http` and `sse`. Private addresses may be refused.',
    examples: ['https://example.org/mcp'],
  },
  command: {
    description:
      'The program that is it; needed for `stdio`. It is started without a shell, in no sandbox, as the user that chatd runs as.',
    examples: ['npx'],
  },
  args: {
    description: 'Arguments of the program, as they are. With `stdio` only.',
    examples: [['-y', 'some-mcp-server']],
  },
  env: {
    description:
      'Variables of the program, at most 64, beside `PATH` and `HOME` of chatd. With `stdio` only. Write-only, and stored encrypted.',
    examples: [{ API_TOKEN: 'abc' }],
  },
  cwd: {
    description:
      'Working directory of the program, an absolute path. Null or absent: the directory for temporary files. With `stdio` only.',
    examples: ['/srv/projects'],
  },
  limits: {
    description: 'Resource limits of the program, replaced as a whole. With `stdio` only.',
    examples: [{ memory_mb: 512 }],
  },
  auth: { description: 'How chatd gets in, with `http` and `sse`.' },
  tool_allow: {
    description:
      "Patterns of the server's own names for the tools that agents get: `*` is any text, `?` one character. Null: all of them.",
    examples: [['search_*']],
  },
  tool_deny: {
    description: 'Patterns of those that agents do not get, whatever `tool_allow` says.',
    examples: [['delete_*']],
  },
  timeout_seconds: { description: 'How long a call of a tool may be silent; progress counts.' },
  trusted: {
    description:
      'What it says of its tools counts: those that only read, or may run twice, are run again when a process died in the middle, and those that only read are there in plan mode.',
  },
  default_on: { description: 'Chats that are made without `mcp_server_ids` have it.' },
  enabled: { description: 'Chats may use it.' },
};

export const mcpServerRoutes = {
  listMcpServers: route({
    method: 'get',
    path: '/mcp-servers',
    tag,
    summary: 'List MCP servers; as a member, those that your chats can use',
    description:
      'In the order in which they were added. Admins with the scope `admin` see all of all of them.',
    scope: 'read',
    answers: {
      200: z.object({
        mcp_servers: z.array(McpServer).describe('All of them.'),
        next_cursor: NoNextCursor,
      }),
    },
    refusals: [],
  }),
  createMcpServer: route({
    method: 'post',
    path: '/mcp-servers',
    tag,
    summary: 'Add an MCP server: by its url, or by the command that starts it',
    description: 'The address is checked, the way in is not: `testMcpServer` does that.',
    scope: 'admin',
    body: z
      .strictObject({
        name: McpServerName.meta(WORDS.name),
        transport: McpTransport.describe('How it is spoken to. It cannot be changed.'),
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
      })
      .meta({
        examples: [{ name: 'github', transport: 'http', url: 'https://example.org/mcp' }],
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
    description: 'Without its secrets.',
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
    description:
      'What is left out stays as it is; the transport cannot be changed. Another `url` or `auth` ends all sessions of users with it.',
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
    description: 'It cannot be undone. Sessions of users with it are forgotten.',
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
    description:
      'It really connects, as you, and says which tools agents get under which names. What goes wrong is part of the answer, not a refusal.',
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
    description:
      'Open the address in a browser. It comes back to `/mcp/callback`, where it must be signed in to chatd as you; else hand what it came back with to `finishMcpSignIn`.',
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
    description:
      'For clients without a browser that is signed in to chatd. A sign-in can be ended once, within 15 minutes.',
    scope: 'write',
    params: McpServerParams,
    body: z.strictObject({
      code: z
        .string()
        .min(1)
        .max(8192)
        .describe('`code` of the address that the browser came back to.'),
      state: z
        .string()
        .min(1)
        .max(256)
        .describe('`state` of that address: it says which sign-in it is.'),
      iss: z
        .string()
        .max(2000)
        .optional()
        .describe('`iss` of that address: who gave the code. Left out if it has none.'),
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
    description: 'Agents of yours can no longer use it. The server itself is not told.',
    scope: 'write',
    params: McpServerParams,
    answers: { 204: null },
    refusals: [],
  }),
};
