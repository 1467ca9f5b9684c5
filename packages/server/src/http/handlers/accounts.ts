import { type Caller, requireAdmin, requireUnrestricted } from '../../auth/caller.ts';
import type { Scope } from '@chatd/protocol';
import { SUSPENDED } from '../../auth/authorize.ts';
import { checkPassword, hashPassword } from '../../auth/password.ts';
import { hashSecret, newSecret, TOKEN_PREFIX } from '../../auth/secret.ts';
import { endedSessionCookie } from '../../auth/session-cookie.ts';
import { openSession } from '../../auth/sessions.ts';
import { newSignInLink } from '../../auth/sign-in-link.ts';
import { withinQuota } from '../../limits/quota.ts';
import { deleteSession } from '../../store/queries/sessions.ts';
import { deleteToken, insertToken, listTokens } from '../../store/queries/tokens.ts';
import { findCredentials, insertUser, listUsers } from '../../store/queries/users.ts';
import type { Queryable } from '../../store/statement.ts';
import { uuidv7 } from '../../store/uuid.ts';
import type { HandlersOf } from '../call.ts';
import { decodeCursor, IdPlace, page } from '../request/cursor.ts';
import { presentToken, presentUser } from '../../present/account.ts';
import { notFound, Refused } from '../../chat/refused.ts';
import type { Services } from '../services.ts';

export const accountHandlers = ({
  store,
  settings,
  signInAttempts,
  accountChanges,
  lockout,
}: Services): HandlersOf<'Accounts'> => {
  /** The user, if the password is right. Too many wrong ones from one address, and it has to wait. */
  const checked = async (username: string, password: string, address: string) => {
    await signInAttempts.begin(username, address);
    const [user] = await store.database.query(findCredentials, { username });
    const right = await checkPassword(password, user?.password_hash ?? null);
    if (!right || user === undefined) {
      throw new Refused('invalid_credentials', 'The user name or the password is wrong.');
    }
    await signInAttempts.succeeded(username, address);
    if (user.suspended) throw new Refused('invalid_credentials', SUSPENDED);
    return user;
  };

  return {
    async signIn({ body, exchange }) {
      const user = await checked(body.username, body.password, exchange.address);
      const headers = { 'set-cookie': await openSession(store.database, user.id, exchange.secure) };
      return { status: 200, body: presentUser(user), headers };
    },

    async signOut({ caller, db, exchange }) {
      const session = caller?.session ?? null;
      if (session !== null) await db.query(deleteSession, { secret_hash: session });
      if (caller !== null) accountChanges.publish(caller.user.id);
      return { status: 204, headers: { 'set-cookie': endedSessionCookie(exchange.secure) } };
    },

    getMe: async ({ caller }) => ({ status: 200, body: presentUser(caller.user) }),

    async changePassword({ caller, body, exchange }) {
      requireUnrestricted(caller, 'Changing a password');
      const { user } = caller;
      if (user.has_password) {
        await checked(user.username, body.current_password ?? '', exchange.address);
      }
      const passwordHash = await hashPassword(body.password);
      const changed = await lockout.change(user, { passwordHash, keptSession: caller.session });
      return { status: 200, body: presentUser(changed) };
    },

    async listUsers({ query, db }) {
      const after = decodeCursor(IdPlace, query.cursor);
      const rows = await db.query(listUsers, {
        after_id: after?.id ?? null,
        limit: query.limit + 1,
      });
      const { rows: users, next_cursor } = page(rows, query.limit, ({ id }) => ({ id }));
      return { status: 200, body: { users: users.map(presentUser), next_cursor } };
    },

    async createUser({ body, caller, db }) {
      if (body.password !== undefined) requireUnrestricted(caller, 'Setting a password');
      if (body.role === 'admin') requireUnrestricted(caller, 'Granting the admin role');
      const password = body.password === undefined ? null : await hashPassword(body.password);
      const [user] = await db.query(insertUser, {
        id: uuidv7(),
        username: body.username,
        role: body.role,
        password_hash: password,
      });
      if (user === undefined) {
        throw new Refused('username_taken', `There is a user ${body.username} already.`);
      }
      return { status: 201, body: presentUser(user) };
    },

    getUser: async ({ found }) => ({ status: 200, body: presentUser(found.user) }),

    async updateUser({ found, body, caller, exchange }) {
      const { role, password, suspended, spend_limit_micros: spendLimit } = body;
      if (password !== undefined) requireUnrestricted(caller, 'Setting a password');
      if (role === 'admin' && found.user.role !== role) {
        requireUnrestricted(caller, 'Granting the admin role');
      }
      const passwordHash = password === undefined ? undefined : await hashPassword(password);
      const change = { role, passwordHash, spendLimit, suspended };
      const user = await lockout.change(found.user, change);
      if (user.suspended !== found.user.suspended) {
        const by = caller.user.username;
        exchange.log.info({ user: user.username, suspended: user.suspended, by }, 'user changed');
      }
      return { status: 200, body: presentUser(user) };
    },

    async deleteUser({ found }) {
      await lockout.remove(found.user);
      return { status: 204 };
    },

    async interruptUser({ found, body, caller, exchange }) {
      const chatIds = await lockout.interrupt(found.user.id, body.chat_ids);
      const user = found.user.username;
      const by = caller.user.username;
      exchange.log.info({ user, by, chats: chatIds.length }, 'chats of a user interrupted');
      return { status: 200, body: { chat_ids: chatIds } };
    },

    listUserTokens: async ({ found, query, db }) => ({
      status: 200,
      body: await tokensOf(found.user.id, query, db),
    }),

    async deleteUserToken({ found, db }) {
      if (found.token.user_id !== found.user.id) throw notFound();
      await db.query(deleteToken, { id: found.token.id });
      accountChanges.publish(found.user.id);
      return { status: 204 };
    },

    async createSignInLink({ found, caller, db, exchange }) {
      requireUnrestricted(caller, 'Creating a sign-in link');
      const link = await newSignInLink(db, found.user.id, exchange.origin);
      if (link === undefined) throw notFound();
      const { url, expiresAt } = link;
      return { status: 201, body: { url, expires_at: expiresAt.toISOString() } };
    },

    listTokens: async ({ caller, query, db }) => ({
      status: 200,
      body: await tokensOf(caller.user.id, query, db),
    }),

    async createToken({ caller, body }) {
      const userId = body.user_id?.toLowerCase() ?? caller.user.id;
      if (userId !== caller.user.id) requireAdmin(caller, 'user_id');
      const secret = newSecret(TOKEN_PREFIX);
      const inserted = {
        id: uuidv7(),
        user_id: userId,
        name: body.name,
        secret_hash: hashSecret(secret),
        scopes: scopesWithin(caller, body.scopes),
        expires_at: expiryWithin(caller, body.expires_at),
      };
      const { max_tokens_per_user: most } = await settings.read();
      const [token] = await store.database.transaction((tx) =>
        withinQuota(tx, { userId, of: 'tokens', most }, () => tx.query(insertToken, inserted)),
      );
      if (token === undefined) {
        throw new Refused('unknown_user', `There is no user ${userId}.`);
      }
      return { status: 201, body: { ...presentToken(token), token: secret } };
    },

    async deleteToken({ found, db }) {
      await db.query(deleteToken, { id: found.token.id });
      accountChanges.publish(found.token.user_id);
      return { status: 204 };
    },
  };
};

/** One page of the tokens of a user. */
async function tokensOf(
  userId: string,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  db: Queryable,
) {
  const after = decodeCursor(IdPlace, cursor);
  const rows = await db.query(listTokens, {
    user_id: userId,
    after_id: after?.id ?? null,
    limit: limit + 1,
  });
  const { rows: tokens, next_cursor } = page(rows, limit, ({ id }) => ({ id }));
  return { tokens: tokens.map(presentToken), next_cursor };
}

/** A token that is made with a token can do no more than that one. */
function scopesWithin(
  { scopes }: Caller,
  asked: readonly Scope[] | undefined,
): readonly Scope[] | null {
  const wanted = asked === undefined ? null : [...new Set(asked)];
  if (scopes === null) return wanted;
  const more = wanted?.filter((scope) => !scopes.includes(scope)) ?? [];
  if (more.length === 0) return wanted ?? scopes;
  throw new Refused(
    'insufficient_scope',
    `scopes: the token that makes it does not have ${more.join(', ')} itself`,
  );
}

/** Nor does it live longer. */
function expiryWithin({ expiresAt }: Caller, asked: string | undefined): Date | null {
  if (asked === undefined) return expiresAt;
  const wanted = new Date(asked);
  const message =
    wanted.getTime() <= Date.now()
      ? 'is in the past'
      : expiresAt !== null && wanted > expiresAt
        ? 'is later than that of the token that makes it'
        : undefined;
  if (message === undefined) return wanted;
  throw new Refused('invalid_body', `expires_at: ${message}`, {
    errors: [{ path: 'expires_at', message }],
  });
}
