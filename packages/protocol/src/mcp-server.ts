import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';

/** A slug: it goes before the names of the server's tools, as in `github__search_issues`. */
export const McpServerName = z
  .string()
  .max(32)
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must be a slug: a-z, 0-9 and single hyphens');

export const McpTransport = enumeration('McpTransport', 'How an MCP server is spoken to.', {
  http: 'streamable HTTP, at its `url`',
  sse: 'HTTP with Server-Sent Events, what came before it, at its `url`',
  stdio: 'a program on the machine of chatd: its `command`',
});
export type McpTransport = z.infer<typeof McpTransport>;

const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const HeaderName = z.string().regex(HEADER, 'must be the name of an HTTP header');
export const McpSecret = z
  .string()
  .regex(/^[\x20-\x7e]{1,8192}$/, 'must be 1 to 8192 visible ASCII characters')
  .refine((text) => text.trim() === text, 'must not begin or end with a space');
const ClientId = z.string().min(1).max(2000);
const OAuthScope = z.string().min(1).max(2000);
const Issuer = z.string().min(1).max(2000);

const authType = <T extends string>(type: T) => z.literal(type).describe('Which way in it is.');

const NONE = { title: 'none', description: 'No way in is needed. So it is unless given.' };
const BEARER = {
  title: 'bearer',
  description: 'A token that chatd sends as `Authorization: Bearer`, the same for all users.',
};
const HEADERS = { title: 'header', description: 'A header of any name, the same for all users.' };
const OAUTH_WAY = { title: 'oauth', description: 'OAuth 2.1: each user signs in, or chatd does.' };

const SentHeader = HeaderName.meta({
  description: 'The name of the header that is sent.',
  examples: ['X-Api-Key'],
});

const OAUTH = {
  type: authType('oauth'),
  grant: z
    .enum(['authorization_code', 'client_credentials'])
    .default('authorization_code')
    .describe(
      '`authorization_code`: each user signs in, and agents act as the owner of their chat. `client_credentials`: chatd signs in itself, once for all users; needs `client_id` and `client_secret`.',
    ),
  client_id: ClientId.optional().describe(
    'Of a client that you registered at the authorization server; its redirect URL is `/mcp/callback` of chatd. Absent: chatd registers itself.',
  ),
  scope: OAuthScope.optional().meta({
    description: 'What is asked for. Absent: what the server names.',
    examples: ['repo read:user'],
  }),
  issuer: Issuer.optional().describe(
    'The only authorization server that credentials are sent to. Absent: the one that the server names.',
  ),
};

/** How to get in. Secrets are write-only. */
export const McpAuthInput = z
  .discriminatedUnion('type', [
    z.strictObject({ type: authType('none') }).meta(NONE),
    z
      .strictObject({
        type: authType('bearer'),
        token: McpSecret.describe('1 to 8,192 visible ASCII characters. Write-only.'),
      })
      .meta(BEARER),
    z
      .strictObject({
        type: authType('header'),
        name: SentHeader,
        value: McpSecret.describe('Its value: 1 to 8,192 visible ASCII characters. Write-only.'),
      })
      .meta(HEADERS),
    z
      .strictObject({
        ...OAUTH,
        client_secret: McpSecret.optional().describe(
          'Of that client. Absent if it has none. Write-only.',
        ),
      })
      .meta(OAUTH_WAY),
  ])
  .meta({
    id: 'McpAuthInput',
    description:
      'How chatd gets in to an MCP server. Secrets are write-only, and stored encrypted.',
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
        has_client_secret: z.boolean().optional().describe('A secret of that client is stored.'),
      })
      .meta(OAUTH_WAY),
  ])
  .meta({ id: 'McpAuth', description: 'How chatd gets in to an MCP server, without the secrets.' });
export type McpAuth = z.output<typeof McpAuth>;

/** What the program of an MCP server may use. Enforced for each of its processes with `setrlimit`. */
export const McpProgramLimits = z
  .strictObject({
    memory_mb: z
      .int()
      .min(16)
      .max(1_048_576)
      .optional()
      .describe('Memory that a process may allocate, in MiB. Default: no limit.'),
    open_files: z
      .int()
      .min(16)
      .max(1_048_576)
      .optional()
      .describe('Files that a process may have open. Default: the limit of chatd.'),
    cpu_seconds: z
      .int()
      .min(1)
      .max(31_536_000)
      .optional()
      .describe('CPU time of a process, in seconds; then it is killed. Default: no limit.'),
  })
  .meta({
    id: 'McpProgramLimits',
    description: 'Resource limits of the program of an MCP server, for each of its processes.',
  });
export type McpProgramLimits = z.infer<typeof McpProgramLimits>;

/** Members see those that are enabled, with what it takes to choose among them. */
export const McpServer = z
  .object({
    id: Uuid.describe('What `mcp_server_ids` of a chat name.'),
    name: McpServerName.meta({
      description: 'A slug, unique. The tool `search` of `github` is `github__search` to agents.',
      examples: ['github'],
    }),
    enabled: z
      .boolean()
      .describe(
        'What is disabled does not exist for chats, from their next turn or connection on.',
      ),
    default_on: z
      .boolean()
      .describe(
        'Chats that are made without `mcp_server_ids` have it. It changes none that exist.',
      ),
    needs_sign_in: z
      .boolean()
      .describe('Each user has to sign in there before an agent can work for them.'),
    signed_in: z.boolean().describe('You have a session with it. False where nobody needs one.'),
    transport: McpTransport.optional().describe(
      'How it is spoken to. For admins only, as all that follows.',
    ),
    url: z.string().optional().describe('Where it is. Absent with `stdio`.'),
    command: z.string().optional().describe('The program that is it. Only with `stdio`.'),
    args: z.array(z.string()).optional().describe('Arguments of the program. Only with `stdio`.'),
    env_names: z
      .array(z.string())
      .optional()
      .describe(
        'Names of the variables that the program gets, in order; values are never shown. Only with `stdio`.',
      ),
    cwd: z
      .string()
      .optional()
      .describe('Working directory of the program. Absent: the directory for temporary files.'),
    limits: McpProgramLimits.optional().describe(
      'Resource limits of the program. Only with `stdio`.',
    ),
    auth: McpAuth.optional().describe('How chatd gets in, without secrets.'),
    tool_allow: z
      .array(z.string())
      .nullable()
      .optional()
      .describe(
        "Patterns of the server's own names for the tools that agents get. Null: all of them.",
      ),
    tool_deny: z
      .array(z.string())
      .optional()
      .describe('Patterns of those that agents do not get, whatever `tool_allow` says.'),
    timeout_seconds: z
      .int()
      .optional()
      .describe('How long a call of a tool may be silent; progress counts.'),
    trusted: z
      .boolean()
      .optional()
      .describe(
        'What it says of its tools counts: those that only read, or may run twice, are run again when a process died in the middle, and those that only read are there in plan mode.',
      ),
    created_at: Timestamp.optional().describe('When it was added: the order of lists.'),
  })
  .meta({
    id: 'McpServer',
    description:
      'An MCP server, whose tools agents can have. Members see those that are enabled, up to `signed_in`.',
  });
export type McpServer = z.infer<typeof McpServer>;

/** What happened when a server was connected to. */
export const McpServerTest = z
  .object({
    ok: z.boolean().describe('It could be connected to, and has listed its tools.'),
    message: z.string().describe('What happened, and if it went wrong what to do, for people.'),
    latency_ms: z
      .int()
      .nonnegative()
      .describe('Milliseconds until the list of its tools was there, or until it failed.'),
    server: z
      .object({
        name: z.string().describe('As it calls itself.'),
        version: z.string().describe('Of its program, as it says.'),
      })
      .optional()
      .describe('Who it says it is. Absent if it failed.'),
    tools: z
      .array(
        z.object({
          name: z
            .string()
            .meta({ description: 'As agents know it.', examples: ['github__search_issues'] }),
          description: z.string().describe('What agents are told of it; may be empty.'),
          idempotent: z
            .boolean()
            .describe(
              'It is run again when a process died in the middle of it. Only of a server that is `trusted`.',
            ),
        }),
      )
      .optional()
      .describe('What agents get. Absent if it failed.'),
    left_out: z
      .array(
        z.object({
          name: z.string().describe('As the server calls it.'),
          reason: z.string().describe('Why agents do not get it.'),
        }),
      )
      .optional()
      .describe('Tools that agents do not get. Absent if it failed.'),
  })
  .meta({ id: 'McpServerTest', description: 'What happened when an MCP server was connected to.' });
export type McpServerTest = z.infer<typeof McpServerTest>;

/** Where a user goes to sign in. */
export const McpSignIn = z
  .object({
    authorization_url: z
      .string()
      .describe(
        'Open it in a browser that is signed in to chatd as you. It comes back to `/mcp/callback`, which ends the sign-in.',
      ),
    expires_at: Timestamp.describe('Until then it can be ended: 15 minutes.'),
  })
  .meta({ id: 'McpSignIn', description: 'Where a user goes to sign in to an MCP server.' });
export type McpSignIn = z.infer<typeof McpSignIn>;
