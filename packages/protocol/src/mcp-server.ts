import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { GroupIds } from './group.ts';
import { Timestamp, Uuid } from './ids.ts';

/** A slug, used as prefix of the server's tool names: `github__search_issues`. */
export const McpServerName = z
  .string()
  .max(32)
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must be a slug: a-z, 0-9 and single hyphens');

export const McpTransport = enumeration('McpTransport', 'Transport of an MCP server.', {
  http: 'streamable HTTP at `url`',
  sse: 'the older HTTP with Server-Sent Events at `url`',
  stdio: "a program on the server's machine: `command`",
});
export type McpTransport = z.infer<typeof McpTransport>;

const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const HeaderName = z.string().regex(HEADER, 'must be an HTTP header name');
export const McpSecret = z
  .string()
  .regex(/^[\x20-\x7e]{1,8192}$/, 'must be 1 to 8192 visible ASCII characters')
  .refine((text) => text.trim() === text, 'must not start or end with a space');
const ClientId = z.string().min(1).max(2000);
const OAuthScope = z.string().min(1).max(2000);
const Issuer = z.string().min(1).max(2000);

const authType = <T extends string>(type: T) => z.literal(type).describe('Type of authentication.');

const NONE = { title: 'none', description: 'No authentication. The default.' };
const BEARER = {
  title: 'bearer',
  description: 'A bearer token, sent as `Authorization: Bearer`. Shared by all users.',
};
const HEADERS = { title: 'header', description: 'A custom header. Shared by all users.' };
const OAUTH_WAY = {
  title: 'oauth',
  description: 'OAuth 2.1, with a sign-in per user or one for the server.',
};

const SentHeader = HeaderName.meta({
  description: 'Name of the header.',
  examples: ['X-Api-Key'],
});

const OAUTH = {
  type: authType('oauth'),
  grant: z
    .enum(['authorization_code', 'client_credentials'])
    .default('authorization_code')
    .describe(
      '`authorization_code`: each user signs in, and agents act as the owner of their chat. `client_credentials`: chatd signs in once for all users; requires `client_id` and `client_secret`.',
    ),
  client_id: ClientId.optional().describe(
    'ID of a client registered at the authorization server, with the redirect URL `/mcp/callback` of chatd. Absent: chatd registers itself.',
  ),
  scope: OAuthScope.optional().meta({
    description: 'Requested scopes. Absent: the scopes that the MCP server names.',
    examples: ['repo read:user'],
  }),
  issuer: Issuer.optional().describe(
    'The only authorization server that credentials are sent to. Absent: the one that the MCP server names.',
  ),
};

/** Secrets are write-only. */
export const McpAuthInput = z
  .discriminatedUnion('type', [
    z.strictObject({ type: authType('none') }).meta(NONE),
    z
      .strictObject({
        type: authType('bearer'),
        token: McpSecret.describe('The token: 1 to 8,192 visible ASCII characters. Write-only.'),
      })
      .meta(BEARER),
    z
      .strictObject({
        type: authType('header'),
        name: SentHeader,
        value: McpSecret.describe(
          'Value of the header: 1 to 8,192 visible ASCII characters. Write-only.',
        ),
      })
      .meta(HEADERS),
    z
      .strictObject({
        ...OAUTH,
        client_secret: McpSecret.optional().describe(
          'Secret of the client. Absent if it has none. Write-only.',
        ),
      })
      .meta(OAUTH_WAY),
  ])
  .meta({
    id: 'McpAuthInput',
    description: 'Authentication to an MCP server. Secrets are write-only and stored encrypted.',
  });
export type McpAuthInput = z.infer<typeof McpAuthInput>;

export const McpAuth = z
  .discriminatedUnion('type', [
    z.object({ type: authType('none') }).meta(NONE),
    z.object({ type: authType('bearer') }).meta(BEARER),
    z.object({ type: authType('header'), name: SentHeader }).meta(HEADERS),
    z
      .object({
        ...OAUTH,
        has_client_secret: z.boolean().optional().describe('True if a client secret is stored.'),
      })
      .meta(OAUTH_WAY),
  ])
  .meta({ id: 'McpAuth', description: 'Authentication to an MCP server, without secrets.' });
export type McpAuth = z.output<typeof McpAuth>;

/** Enforced for each process of the program with `setrlimit`. */
export const McpProgramLimits = z
  .strictObject({
    memory_mb: z
      .int()
      .min(16)
      .max(1_048_576)
      .optional()
      .describe('Max memory of a process, in MiB. Default: no limit.'),
    open_files: z
      .int()
      .min(16)
      .max(1_048_576)
      .optional()
      .describe('Max open files of a process. Default: the limit of chatd.'),
    cpu_seconds: z
      .int()
      .min(1)
      .max(31_536_000)
      .optional()
      .describe(
        'Max CPU time of a process, in seconds; a process that exceeds it is killed. Default: no limit.',
      ),
  })
  .meta({
    id: 'McpProgramLimits',
    description: 'Resource limits for each process of an MCP server.',
  });
export type McpProgramLimits = z.infer<typeof McpProgramLimits>;

/** Members see enabled servers only, and of those only the fields up to `signed_in`. */
export const McpServer = z
  .object({
    id: Uuid.describe('ID of the server, for `mcp_server_ids` of a chat.'),
    name: McpServerName.meta({
      description: 'Unique slug. To agents, the tool `search` of `github` is `github__search`.',
      examples: ['github'],
    }),
    enabled: z
      .boolean()
      .describe('False hides the server from chats, starting with their next turn or connection.'),
    default_on: z
      .boolean()
      .describe(
        'True adds the server to new chats that do not set `mcp_server_ids`. Existing chats do not change.',
      ),
    needs_sign_in: z
      .boolean()
      .describe('True if each user must sign in before an agent can use the server for them.'),
    signed_in: z
      .boolean()
      .describe('True if you are signed in. False if the server requires no sign-in.'),
    transport: McpTransport.optional().describe(
      'Transport of the server. This and all following fields are visible to admins only.',
    ),
    url: z.string().optional().describe('URL of the server. Absent with `stdio`.'),
    command: z.string().optional().describe('Program of the server. Only with `stdio`.'),
    args: z.array(z.string()).optional().describe('Arguments of the program. Only with `stdio`.'),
    env_names: z
      .array(z.string())
      .optional()
      .describe(
        "Names of the program's environment variables, in order. Values are never returned. Only with `stdio`.",
      ),
    cwd: z
      .string()
      .optional()
      .describe('Working directory of the program. Absent: the directory for temporary files.'),
    limits: McpProgramLimits.optional().describe(
      'Resource limits of the program. Only with `stdio`.',
    ),
    auth: McpAuth.optional().describe('Authentication, without secrets.'),
    group_ids: GroupIds.optional().describe(
      'Groups whose members can use the server. Null: all users. Empty: only admins.',
    ),
    tool_allow: z
      .array(z.string())
      .nullable()
      .optional()
      .describe(
        "Patterns of allowed tools, matched against the server's own tool names. Null: all tools.",
      ),
    tool_deny: z
      .array(z.string())
      .optional()
      .describe('Patterns of denied tools. Takes precedence over `tool_allow`.'),
    timeout_seconds: z
      .int()
      .optional()
      .describe('Max time without progress in a tool call, in seconds.'),
    trusted: z
      .boolean()
      .optional()
      .describe(
        "True if the server's tool annotations are trusted: read-only and idempotent tools are rerun after a crash, and read-only tools are available in plan mode.",
      ),
    created_at: Timestamp.optional().describe('Creation time. Lists are sorted by it.'),
  })
  .meta({
    id: 'McpServer',
    description:
      'An MCP server, which provides tools to agents. Members see enabled servers only, with the fields up to `signed_in`.',
  });
export type McpServer = z.infer<typeof McpServer>;

export const McpServerTest = z
  .object({
    ok: z.boolean().describe('True if the connection succeeded and the server listed its tools.'),
    message: z
      .string()
      .describe('Result of the test, and what to do if it failed, as text for users.'),
    latency_ms: z
      .int()
      .nonnegative()
      .describe('Time until the tool list arrived or the test failed, in milliseconds.'),
    server: z
      .object({
        name: z.string().describe('Name that the server reports.'),
        version: z.string().describe('Version that the server reports.'),
      })
      .optional()
      .describe('Identity of the server. Absent if the test failed.'),
    tools: z
      .array(
        z.object({
          name: z
            .string()
            .meta({ description: 'Name that agents use.', examples: ['github__search_issues'] }),
          description: z.string().describe('Description for agents. May be empty.'),
          idempotent: z
            .boolean()
            .describe('True if the tool is rerun after a crash. Only with `trusted`.'),
        }),
      )
      .optional()
      .describe('Tools available to agents. Absent if the test failed.'),
    left_out: z
      .array(
        z.object({
          name: z.string().describe("The server's own name of the tool."),
          reason: z.string().describe('Why the tool is not available.'),
        }),
      )
      .optional()
      .describe('Tools not available to agents. Absent if the test failed.'),
  })
  .meta({ id: 'McpServerTest', description: 'Result of a connection test of an MCP server.' });
export type McpServerTest = z.infer<typeof McpServerTest>;

export const McpSignIn = z
  .object({
    authorization_url: z
      .string()
      .describe(
        'URL to open in a browser that is signed in to chatd as you. It returns to `/mcp/callback`, which completes the sign-in.',
      ),
    expires_at: Timestamp.describe('Time when the sign-in expires, after 15 minutes.'),
  })
  .meta({ id: 'McpSignIn', description: 'A pending sign-in to an MCP server.' });
export type McpSignIn = z.infer<typeof McpSignIn>;
