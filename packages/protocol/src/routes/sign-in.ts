import { z } from 'zod';
import { Timestamp } from '../ids.ts';
import { routeWith } from '../route.ts';
import { CreatedToken } from '../token.ts';

const route = routeWith('Sign-in');

const TokenName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .meta({ description: 'Name of the token.', examples: ['chatd command on laptop'] });

const ExpiresAt = Timestamp.describe('Time after which the code is no longer valid.');

export const signInRoutes = {
  getSignInMethods: route({
    method: 'get',
    path: '/sign-in-methods',
    summary: 'List the ways to sign in',
    description: 'For sign-in pages. One-time sign-in links always work.',
    scope: null,
    answers: {
      200: z.object({
        password: z.boolean().describe('True if users can sign in with a password.'),
        oidc: z
          .object({
            name: z.string().meta({
              description: 'Name of the OIDC provider.',
              examples: ['Example Corp'],
            }),
            path: z.string().meta({
              description:
                'Path of this server that starts the sign-in in a browser. `return_to` in its query string is the path of the page to continue at.',
              examples: ['/oidc/sign-in'],
            }),
          })
          .nullable()
          .describe('Sign-in with OpenID Connect. Null: not configured.'),
      }),
    },
  }),
  listIdentities: route({
    method: 'get',
    path: '/users/me/identities',
    summary: 'List your accounts at the OIDC provider',
    description: 'You can sign in with each of them.',
    scope: 'read',
    answers: {
      200: z.object({
        identities: z
          .array(
            z.object({
              issuer: z.string().meta({
                description: 'URL of the provider.',
                examples: ['https://id.example.org'],
              }),
              email: z
                .string()
                .nullable()
                .describe('E-mail address at the last sign-in. Null: unknown.'),
              created_at: Timestamp.describe('Time of the first sign-in.'),
              last_sign_in_at: Timestamp.describe('Time of the last sign-in.'),
            }),
          )
          .describe('Your accounts, oldest first.'),
      }),
    },
  }),
  connectIdentity: route({
    method: 'post',
    path: '/users/me/identities',
    summary: 'Connect your user with an account at the OIDC provider',
    description:
      'For users with a password or a sign-in link. Open `url` in the same browser within 10 minutes: after a sign-in at the provider, its account signs you in. Fails with 404 if no provider is configured. Requires a session.',
    scope: 'write',
    body: z.strictObject({
      current_password: z
        .string()
        .max(1024)
        .optional()
        .describe('Current password. Required if you have one.'),
    }),
    answers: {
      200: z.object({ url: z.string().describe('Page of the provider to open in the browser.') }),
    },
    refusals: [
      'not_found',
      'invalid_credentials',
      'identity_connected',
      'identity_provider_failed',
      'insufficient_scope',
      'too_many_requests',
    ],
    secret: true,
  }),
  startCliLogin: route({
    method: 'post',
    path: '/cli-logins',
    summary: 'Request a token that a user approves in a browser',
    description:
      'For commands on computers without a browser. Show `user_code` and `url` to the user, and poll `finishCliLogin` with `code`. A client address can request 100 in 15 minutes.',
    scope: null,
    body: z.strictObject({ name: TokenName }),
    answers: {
      201: z.object({
        code: z.string().describe('Secret of the command, for `finishCliLogin`.'),
        user_code: z.string().meta({
          description: 'Code that the user enters in the browser.',
          examples: ['BCDF-GHJK'],
        }),
        url: z.string().describe('Page of this server where the user enters the code.'),
        interval_seconds: z.int().describe('Seconds between two requests to `finishCliLogin`.'),
        expires_at: ExpiresAt,
      }),
    },
    refusals: ['too_many_requests'],
    secret: true,
  }),
  approveCliLogin: route({
    method: 'post',
    path: '/cli-logins/approve',
    summary: 'Approve the login of a command by its user code',
    description:
      'The command gets a token with all your permissions. Requires a session, or a token without scopes and expiry.',
    scope: 'write',
    body: z.strictObject({
      user_code: z
        .string()
        .max(40)
        .meta({ description: 'Code that the command shows.', examples: ['BCDF-GHJK'] }),
    }),
    answers: {
      200: z.object({ name: z.string().describe('Name of the token that the command gets.') }),
    },
    refusals: ['invalid_cli_login', 'insufficient_scope'],
    secret: true,
    audit: { action: 'cli_login.approve' },
  }),
  createCliLoginCode: route({
    method: 'post',
    path: '/cli-logins/code',
    summary: 'Create a one-time code for a command on the same computer',
    description:
      'The browser passes the code to the command, which exchanges it for a token with all your permissions. Requires a session, or a token without scopes and expiry.',
    scope: 'write',
    body: z.strictObject({
      challenge: z
        .string()
        .regex(/^[A-Za-z0-9_-]{43}$/, 'must be a SHA-256 hash in base64url')
        .describe('SHA-256 hash of the verifier of the command, in base64url.'),
      name: TokenName,
    }),
    answers: {
      201: z.object({
        code: z.string().describe('One-time code for `finishCliLogin`.'),
        expires_at: ExpiresAt,
      }),
    },
    refusals: ['insufficient_scope'],
    secret: true,
    audit: { action: 'cli_login.approve', values: ['name'] },
  }),
  finishCliLogin: route({
    method: 'post',
    path: '/cli-logins/token',
    summary: 'Exchange the code of a command for a token',
    description:
      'A code works once. Before the user has approved a code of `startCliLogin`, the call fails with `cli_login_pending`.',
    scope: null,
    body: z.strictObject({
      code: z.string().max(200).describe('Code of `startCliLogin` or `createCliLoginCode`.'),
      verifier: z
        .string()
        .max(200)
        .optional()
        .describe('Verifier of the challenge. Required for a code of `createCliLoginCode`.'),
    }),
    answers: { 201: CreatedToken },
    refusals: ['cli_login_pending', 'invalid_cli_login', 'quota_exceeded'],
    secret: true,
    audit: { action: 'token.create', byHandler: true },
  }),
};
