import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';

/** A slug: it goes before the names of the server's tools, as in `github__search_issues`. */
export const McpServerName = z
  .string()
  .max(32)
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must be a slug: a-z, 0-9 and single hyphens');

/** `http` is streamable HTTP; `sse` is what came before it; `stdio` is a program on the machine of the server. */
export const McpTransport = z.enum(['http', 'sse', 'stdio']);
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

const OAUTH = {
  type: z.literal('oauth'),
  /** `authorization_code`: each user signs in. `client_credentials`: chatd does, for all of them. */
  grant: z.enum(['authorization_code', 'client_credentials']).default('authorization_code'),
  /** Left out: chatd registers itself. */
  client_id: ClientId.optional(),
  scope: OAuthScope.optional(),
  /** The only authorization server that credentials are sent to. */
  issuer: Issuer.optional(),
};

/** How to get in. Secrets are write-only. */
export const McpAuthInput = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('bearer'), token: McpSecret }),
  z.strictObject({ type: z.literal('header'), name: HeaderName, value: McpSecret }),
  z.strictObject({ ...OAUTH, client_secret: McpSecret.optional() }),
]);
export type McpAuthInput = z.infer<typeof McpAuthInput>;

export const McpAuth = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('none') }),
    z.object({ type: z.literal('bearer') }),
    z.object({ type: z.literal('header'), name: HeaderName }),
    z.object({ ...OAUTH, has_client_secret: z.boolean().optional() }),
  ])
  .meta({ id: 'McpAuth' });
export type McpAuth = z.output<typeof McpAuth>;

/** Members see those that are enabled, with what it takes to choose among them. */
export const McpServer = z
  .object({
    id: Uuid,
    name: McpServerName,
    enabled: z.boolean(),
    /** Chats that do not say which servers they want have it. */
    default_on: z.boolean(),
    /** Each user has to sign in there before an agent can work for them. */
    needs_sign_in: z.boolean(),
    /** The caller has. */
    signed_in: z.boolean(),
    transport: McpTransport.optional(),
    url: z.string().optional(),
    command: z.string().optional(),
    args: z.array(z.string()).optional(),
    /** Values are never shown. */
    env_names: z.array(z.string()).optional(),
    auth: McpAuth.optional(),
    tool_allow: z.array(z.string()).nullable().optional(),
    tool_deny: z.array(z.string()).optional(),
    /** How long a call of a tool may be silent. */
    timeout_seconds: z.int().optional(),
    /** What it says of its tools counts: those that only read are run again when a process died in the middle. */
    trusted: z.boolean().optional(),
    created_at: Timestamp.optional(),
  })
  .meta({ id: 'McpServer' });
export type McpServer = z.infer<typeof McpServer>;

/** What happened when a server was connected to. */
export const McpServerTest = z
  .object({
    ok: z.boolean(),
    /** In words. */
    message: z.string(),
    latency_ms: z.int().nonnegative(),
    /** As it calls itself. */
    server: z.object({ name: z.string(), version: z.string() }).optional(),
    tools: z
      .array(
        z.object({
          /** As the agent knows it. */
          name: z.string(),
          description: z.string(),
          /** It is run again when a process died in the middle of it. */
          idempotent: z.boolean(),
        }),
      )
      .optional(),
    /** Tools that agents do not get, and why. */
    left_out: z.array(z.object({ name: z.string(), reason: z.string() })).optional(),
  })
  .meta({ id: 'McpServerTest' });
export type McpServerTest = z.infer<typeof McpServerTest>;

/** Where a user goes to sign in. */
export const McpSignIn = z
  .object({ authorization_url: z.string(), expires_at: Timestamp })
  .meta({ id: 'McpSignIn' });
export type McpSignIn = z.infer<typeof McpSignIn>;
