import { z } from 'zod';
import { Timestamp, Uuid } from '../ids.ts';
import { Cursor, Limit, NextCursor } from '../page.ts';
import { routeWith } from '../route.ts';
import { Scope } from '../scope.ts';
import { CreatedToken, Token } from '../token.ts';
import { Password, SpendLimit, User, Username, UserRole } from '../user.ts';

const route = routeWith('Accounts');
const UserParams = z.strictObject({ user_id: Uuid.describe('ID of the user.') });
const NewPassword = Password.meta({ examples: ['correct horse battery staple'] });
const page = z.strictObject({ limit: Limit, cursor: Cursor });
const TokenPage = z.object({
  tokens: z.array(Token).describe('One page of tokens.'),
  next_cursor: NextCursor,
});

export const accountRoutes = {
  signIn: route({
    method: 'post',
    path: '/session',
    summary: 'Sign in with a session cookie',
    description:
      'The cookie is HttpOnly and expires after 30 days. After 10 wrong passwords for a user name, or 100 in total, a client address is blocked for the time in `Retry-After`, at most 15 minutes.',
    scope: null,
    body: z.strictObject({
      username: z
        .string()
        .max(256)
        .meta({ description: 'User name.', examples: ['ada'] }),
      password: z
        .string()
        .max(1024)
        .meta({ description: 'Password.', examples: ['correct horse battery staple'] }),
    }),
    answers: { 200: User },
    refusals: ['invalid_credentials', 'password_sign_in_disabled', 'too_many_requests'],
    secret: true,
  }),
  signOut: route({
    method: 'delete',
    path: '/session',
    summary: 'Sign out',
    description:
      'Ends the session of the cookie, if there is one. Tokens stay valid. If an OIDC provider signed in the user, the response names the page that ends the session there.',
    scope: null,
    answers: {
      200: z.object({
        redirect_url: z.string().describe('Page of the OIDC provider to open in the browser.'),
      }),
      204: null,
    },
  }),
  getMe: route({
    method: 'get',
    path: '/users/me',
    summary: 'Get the current user',
    description: 'The user of the token or session.',
    scope: 'read',
    answers: { 200: User },
  }),
  changePassword: route({
    method: 'patch',
    path: '/users/me',
    summary: 'Change your password; signs out other sessions',
    description:
      'Requires a session, or a token without scopes and expiry. Tokens and the current session stay valid.',
    scope: 'write',
    body: z.strictObject({
      password: NewPassword.describe('New password. At least 8 characters.'),
      current_password: z
        .string()
        .max(1024)
        .optional()
        .describe('Current password. Required if you have one.'),
    }),
    answers: { 200: User },
    refusals: ['invalid_credentials', 'insufficient_scope', 'too_many_requests'],
    secret: true,
    audit: { action: 'user.change_password', byHandler: true },
  }),
  listUsers: route({
    method: 'get',
    path: '/users',
    summary: 'List users',
    description: 'Sorted by creation time.',
    scope: 'admin',
    query: page,
    answers: {
      200: z.object({
        users: z.array(User).describe('One page of users.'),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_query', 'invalid_cursor'],
  }),
  createUser: route({
    method: 'post',
    path: '/users',
    summary: 'Create a user',
    description:
      'A user without a password signs in with a link (`createSignInLink`). Setting a password or granting the role `admin` requires a session, or a token without scopes and expiry.',
    scope: 'admin',
    body: z.strictObject({
      username: Username.meta({
        description:
          'User name: 1 to 63 lower-case letters, digits, `.`, `_` or `-`. Starts with a letter or digit. Cannot be changed.',
        examples: ['ada'],
      }),
      password: NewPassword.optional().describe(
        'Password. At least 8 characters. Without it, the user cannot sign in with a password.',
      ),
      role: UserRole.default('member').describe('Role of the user.'),
    }),
    answers: { 201: User },
    refusals: ['username_taken'],
    secret: true,
    audit: { action: 'user.create', values: ['username', 'role'] },
  }),
  getUser: route({
    method: 'get',
    path: '/users/{user_id}',
    summary: 'Get a user',
    description: 'Returns any user of the deployment.',
    scope: 'admin',
    params: UserParams,
    answers: { 200: User },
  }),
  updateUser: route({
    method: 'patch',
    path: '/users/{user_id}',
    summary: 'Change the role, password or spend limit of a user, or suspend the user',
    description:
      'Omitted fields do not change. A new password ends all sessions of the user; tokens stay valid. Setting a password or granting the role `admin` requires a session, or a token without scopes and expiry. A new spend limit takes effect on all servers within 10 seconds. Suspending a user ends their sessions, streams, terminals and running turns on all replicas and stops their workspaces; requests with their tokens fail with 401.',
    scope: 'admin',
    params: UserParams,
    body: z.strictObject({
      role: UserRole.optional().describe('Role of the user. At least one admin must remain.'),
      password: NewPassword.optional().describe('New password. At least 8 characters.'),
      spend_limit_micros: SpendLimit.optional(),
      suspended: z
        .boolean()
        .optional()
        .describe(
          'True suspends the user. False lifts the suspension; tokens that were not revoked work again. The last active admin cannot be suspended.',
        ),
    }),
    answers: { 200: User },
    refusals: ['last_admin'],
    secret: true,
    audit: { action: 'user.update', values: ['role'] },
  }),
  deleteUser: route({
    method: 'delete',
    path: '/users/{user_id}',
    summary: 'Delete a user with all chats, files and tokens',
    description: "Cannot be undone. Running turns end. Usage reports keep the user's usage.",
    scope: 'admin',
    params: UserParams,
    answers: { 204: null },
    refusals: ['last_admin'],
    audit: { action: 'user.delete', byHandler: true },
  }),
  interruptUser: route({
    method: 'post',
    path: '/users/{user_id}/interrupt',
    summary: 'Interrupt the running chats of a user',
    description:
      'Interrupts each running turn and its subagents, like an interrupt by the owner. Queued messages still run. To stop a user entirely, suspend the user.',
    scope: 'admin',
    params: UserParams,
    body: z.strictObject({
      chat_ids: z
        .array(Uuid)
        .max(1000)
        .optional()
        .describe('Chats to interrupt. Default: all chats of the user.'),
    }),
    answers: {
      200: z.object({ chat_ids: z.array(Uuid).describe('The interrupted chats.') }),
    },
    audit: { action: 'user.interrupt', byHandler: true },
  }),
  listUserTokens: route({
    method: 'get',
    path: '/users/{user_id}/tokens',
    summary: 'List the API tokens of a user',
    description: 'Without their secrets, sorted by creation time. Includes expired tokens.',
    scope: 'admin',
    params: UserParams,
    query: page,
    answers: { 200: TokenPage },
    refusals: ['invalid_query', 'invalid_cursor'],
  }),
  deleteUserToken: route({
    method: 'delete',
    path: '/users/{user_id}/tokens/{token_id}',
    summary: 'Revoke an API token of a user',
    description: 'The next request with the token fails with 401. Its streams end immediately.',
    scope: 'admin',
    anyOwner: true,
    params: z.strictObject({
      ...UserParams.shape,
      token_id: Uuid.describe('A token of this user.'),
    }),
    answers: { 204: null },
    audit: { action: 'token.delete' },
  }),
  createSignInLink: route({
    method: 'post',
    path: '/users/{user_id}/sign-in-link',
    summary: 'Create a one-time sign-in link for a user',
    description:
      'The link is valid for 15 minutes and signs in anyone who opens it as this user. Requires a session, or a token without scopes and expiry.',
    scope: 'admin',
    params: UserParams,
    answers: {
      201: z.object({
        url: z
          .string()
          .describe('The link. It contains a secret and works once. Share it only with the user.'),
        expires_at: Timestamp.describe('Expiry time of the link, after 15 minutes.'),
      }),
    },
    secret: true,
    audit: { action: 'user.create_sign_in_link' },
  }),
  listTokens: route({
    method: 'get',
    path: '/tokens',
    summary: 'List your API tokens',
    description: 'Without their secrets, sorted by creation time. Includes expired tokens.',
    scope: 'read',
    query: page,
    answers: { 200: TokenPage },
    refusals: ['invalid_query', 'invalid_cursor'],
  }),
  createToken: route({
    method: 'post',
    path: '/tokens',
    summary: 'Create an API token; its secret is returned only once',
    description:
      'A token created with another token cannot have more scopes or a later expiry than that token.',
    scope: 'write',
    body: z
      .strictObject({
        name: z
          .string()
          .trim()
          .min(1)
          .max(100)
          .meta({ description: 'Name of the token.', examples: ['ci'] }),
        scopes: z
          .array(Scope)
          .min(1)
          .optional()
          .describe(
            'Permissions of the token. Default: everything its user can do, limited by the token that creates it.',
          ),
        expires_at: Timestamp.optional().meta({
          description:
            'Expiry time, not in the past. Default: never, or the expiry of the token that creates it.',
          examples: ['2027-01-01T00:00:00Z'],
        }),
        user_id: Uuid.optional().describe('Owner of the token, for admins. Default: you.'),
      })
      .meta({ examples: [{ name: 'ci', scopes: ['read'] }] }),
    answers: { 201: CreatedToken },
    refusals: ['unknown_user', 'admin_required', 'insufficient_scope', 'quota_exceeded'],
    secret: true,
    audit: { action: 'token.create', values: ['name', 'user_id', 'expires_at', 'scopes'] },
  }),
  deleteToken: route({
    method: 'delete',
    path: '/tokens/{token_id}',
    summary: 'Revoke an API token',
    description: 'The next request with the token fails with 401. Its streams end immediately.',
    scope: 'write',
    params: z.strictObject({ token_id: Uuid.describe('One of your tokens.') }),
    answers: { 204: null },
    audit: { action: 'token.delete' },
  }),
};
