import { z } from 'zod';
import { Timestamp, Uuid } from '../ids.ts';
import { Cursor, Limit, NextCursor } from '../page.ts';
import { route } from '../route.ts';
import { Scope } from '../scope.ts';
import { CreatedToken, Token } from '../token.ts';
import { Password, SpendLimit, User, Username, UserRole } from '../user.ts';

const tag = 'Accounts';
const UserParams = z.strictObject({ user_id: Uuid.describe('The user.') });
const NewPassword = Password.meta({ examples: ['correct horse battery staple'] });
const page = z.strictObject({ limit: Limit, cursor: Cursor });
const TokenPage = z.object({
  tokens: z.array(Token).describe('One page of them.'),
  next_cursor: NextCursor,
});

export const accountRoutes = {
  signIn: route({
    method: 'post',
    path: '/session',
    tag,
    summary: 'Sign in a browser; the session is a cookie',
    description:
      'The cookie is HttpOnly and good for 30 days. After 10 wrong passwords for a user name, or 100 in all, an address has to wait: `Retry-After` says how long, 15 minutes at most.',
    scope: null,
    body: z.strictObject({
      username: z
        .string()
        .max(256)
        .meta({ description: 'The user name.', examples: ['ada'] }),
      password: z
        .string()
        .max(1024)
        .meta({ description: 'The password.', examples: ['correct horse battery staple'] }),
    }),
    answers: { 200: User },
    refusals: ['invalid_credentials', 'too_many_requests'],
    secret: true,
  }),
  signOut: route({
    method: 'delete',
    path: '/session',
    tag,
    summary: 'Sign out a browser',
    description: 'Ends the session of the cookie, if there is one. Tokens stay.',
    scope: null,
    answers: { 204: null },
    refusals: [],
  }),
  getMe: route({
    method: 'get',
    path: '/users/me',
    tag,
    summary: 'Who you are',
    description: 'Of the token or session that asks.',
    scope: 'read',
    answers: { 200: User },
    refusals: [],
  }),
  changePassword: route({
    method: 'patch',
    path: '/users/me',
    tag,
    summary: 'Change your password; other sessions are signed out',
    description:
      'Requires a session, or a token without scopes and expiry. Tokens stay valid, and so does the session that asks.',
    scope: 'write',
    body: z.strictObject({
      password: NewPassword.describe('The new one, at least 8 characters.'),
      current_password: z
        .string()
        .max(1024)
        .optional()
        .describe('The one that you have. Needed if you have one.'),
    }),
    answers: { 200: User },
    refusals: ['invalid_credentials', 'insufficient_scope', 'too_many_requests'],
    secret: true,
  }),
  listUsers: route({
    method: 'get',
    path: '/users',
    tag,
    summary: 'List users',
    description: 'In the order in which they were made.',
    scope: 'admin',
    query: page,
    answers: {
      200: z.object({
        users: z.array(User).describe('One page of them.'),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_query', 'invalid_cursor'],
  }),
  createUser: route({
    method: 'post',
    path: '/users',
    tag,
    summary: 'Create a user',
    description:
      'Without a password the user signs in by a link (`createSignInLink`). Setting a password or granting the role `admin` requires a session, or a token without scopes and expiry.',
    scope: 'admin',
    body: z.strictObject({
      username: Username.meta({
        description:
          '1 to 63 lower-case letters, digits, `.`, `_` or `-`; it begins with a letter or digit. It cannot be changed.',
        examples: ['ada'],
      }),
      password: NewPassword.optional().describe(
        'At least 8 characters. Without it the user cannot sign in by one.',
      ),
      role: UserRole.default('member').describe('What the user may do.'),
    }),
    answers: { 201: User },
    refusals: ['username_taken'],
    secret: true,
  }),
  getUser: route({
    method: 'get',
    path: '/users/{user_id}',
    tag,
    summary: 'Get a user',
    description: 'Any user of the deployment.',
    scope: 'admin',
    params: UserParams,
    answers: { 200: User },
    refusals: [],
  }),
  updateUser: route({
    method: 'patch',
    path: '/users/{user_id}',
    tag,
    summary: 'Change the role, the password or the spend limit of a user, or suspend the user',
    description:
      'What is left out stays as it is. A new password signs the user out everywhere; tokens stay. Setting a password or granting the role `admin` requires a session, or a token without scopes and expiry. A new spend limit is seen by all servers within 10 seconds. Suspending a user ends their sessions, streams, terminals and running turns on all replicas and stops their workspaces; the next request with any of their tokens is 401.',
    scope: 'admin',
    params: UserParams,
    body: z.strictObject({
      role: UserRole.optional().describe('What the user may do. The last admin must stay one.'),
      password: NewPassword.optional().describe('A new one, at least 8 characters.'),
      spend_limit_micros: SpendLimit.optional(),
      suspended: z
        .boolean()
        .optional()
        .describe(
          'True: suspend the user. False: lift the suspension; tokens that were not revoked work again. The last active admin cannot be suspended.',
        ),
    }),
    answers: { 200: User },
    refusals: ['last_admin'],
    secret: true,
  }),
  deleteUser: route({
    method: 'delete',
    path: '/users/{user_id}',
    tag,
    summary: 'Delete a user with all chats, files and tokens',
    description: 'It cannot be undone. Running turns end. What was spent stays in the books.',
    scope: 'admin',
    params: UserParams,
    answers: { 204: null },
    refusals: ['last_admin'],
  }),
  interruptUser: route({
    method: 'post',
    path: '/users/{user_id}/interrupt',
    tag,
    summary: 'Interrupt the running chats of a user',
    description:
      'Interrupts each running turn with its subagents, as its owner could. Queued messages are sent next; to stop a user for good, suspend the user.',
    scope: 'admin',
    params: UserParams,
    body: z.strictObject({
      chat_ids: z
        .array(Uuid)
        .max(1000)
        .optional()
        .describe('Interrupt only these chats. Default: all chats of the user.'),
    }),
    answers: {
      200: z.object({ chat_ids: z.array(Uuid).describe('The interrupted chats.') }),
    },
    refusals: [],
  }),
  listUserTokens: route({
    method: 'get',
    path: '/users/{user_id}/tokens',
    tag,
    summary: 'List the API tokens of a user',
    description: 'Without their secrets, in the order of creation. Includes expired tokens.',
    scope: 'admin',
    params: UserParams,
    query: page,
    answers: { 200: TokenPage },
    refusals: ['invalid_query', 'invalid_cursor'],
  }),
  deleteUserToken: route({
    method: 'delete',
    path: '/users/{user_id}/tokens/{token_id}',
    tag,
    summary: 'Revoke an API token of a user',
    description: 'The next request with it is 401, and its streams end at once.',
    scope: 'admin',
    anyOwner: true,
    params: z.strictObject({
      ...UserParams.shape,
      token_id: Uuid.describe('A token of this user.'),
    }),
    answers: { 204: null },
    refusals: [],
  }),
  createSignInLink: route({
    method: 'post',
    path: '/users/{user_id}/sign-in-link',
    tag,
    summary: 'Make a link that signs this user in, once',
    description:
      'It is good for 15 minutes. Whoever opens it is signed in as this user. Requires a session, or a token without scopes and expiry.',
    scope: 'admin',
    params: UserParams,
    answers: {
      201: z.object({
        url: z
          .string()
          .describe('The link. It holds a secret and works once: hand it to the user alone.'),
        expires_at: Timestamp.describe('Until then it works: 15 minutes.'),
      }),
    },
    refusals: [],
    secret: true,
  }),
  listTokens: route({
    method: 'get',
    path: '/tokens',
    tag,
    summary: 'List your API tokens',
    description:
      'Without their secrets, in the order in which they were made. Those that have expired are listed, too.',
    scope: 'read',
    query: page,
    answers: { 200: TokenPage },
    refusals: ['invalid_query', 'invalid_cursor'],
  }),
  createToken: route({
    method: 'post',
    path: '/tokens',
    tag,
    summary: 'Create an API token; its secret is shown this once',
    description:
      'A token that is made with a token has no more scopes and lives no longer than that one.',
    scope: 'write',
    body: z
      .strictObject({
        name: z
          .string()
          .trim()
          .min(1)
          .max(100)
          .meta({ description: 'What to call it, for people.', examples: ['ci'] }),
        scopes: z
          .array(Scope)
          .min(1)
          .optional()
          .describe(
            'What it may be used for. Without them: everything that its user may do, or what the token that makes it may.',
          ),
        expires_at: Timestamp.optional().meta({
          description:
            'From then on it is refused; not in the past. Without it: never, or when the token that makes it expires.',
          examples: ['2027-01-01T00:00:00Z'],
        }),
        user_id: Uuid.optional().describe('As an admin: whose token it is. Yours unless given.'),
      })
      .meta({ examples: [{ name: 'ci', scopes: ['read'] }] }),
    answers: { 201: CreatedToken },
    refusals: ['unknown_user', 'admin_required', 'insufficient_scope', 'quota_exceeded'],
    secret: true,
  }),
  deleteToken: route({
    method: 'delete',
    path: '/tokens/{token_id}',
    tag,
    summary: 'Revoke an API token',
    description: 'The next request with it is 401, and its streams end at once.',
    scope: 'write',
    params: z.strictObject({ token_id: Uuid.describe('A token of yours.') }),
    answers: { 204: null },
    refusals: [],
  }),
};
