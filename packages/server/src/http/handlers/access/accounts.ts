import { requireUnrestricted } from '../../../auth/caller.ts';
import { endedSessionCookie } from '../../../auth/session-cookie.ts';
import { openSession } from '../../../auth/sessions.ts';
import { newSignInLink } from '../../../auth/sign-in-link.ts';
import { notFound, Refused } from '../../../chat/refused.ts';
import { SessionCommands } from '../../../entities/sessions/commands.ts';
import { TokenCommands } from '../../../entities/tokens/commands.ts';
import { presentToken } from '../../../entities/tokens/present.ts';
import { UserCommands } from '../../../entities/users/commands.ts';
import { presentUser } from '../../../entities/users/present.ts';
import { deleteSession } from '../../../store/queries/sessions.ts';
import { listTokens } from '../../../store/queries/tokens.ts';
import { listUsers } from '../../../store/queries/users.ts';
import type { Queryable } from '../../../store/statement.ts';
import type { HandlersOf } from '../../call.ts';
import { publicOrigin } from '../../pages/oidc.ts';
import { decodeCursor, IdCursor, page } from '../../request/cursor.ts';
import type { Services } from '../../services.ts';

export const accountHandlers = (services: Services): HandlersOf<'Accounts'> => {
  const { store, signInAttempts, accountChanges, workspaces, oidc, passwordSignIn } = services;
  const sessions = new SessionCommands(store.database, signInAttempts);
  const users = new UserCommands(store, accountChanges, workspaces);
  const tokens = new TokenCommands(accountChanges);

  return {
    async signIn({ body, exchange }) {
      if (!passwordSignIn) throw passwordSignInDisabled();
      const user = await sessions.checkPassword(body.username, body.password, exchange.address);
      const session = { user, by: 'password', ip: exchange.address } as const;
      const cookie = await store.database.transaction((tx) =>
        openSession(tx, session, exchange.secure),
      );
      return { status: 200, body: presentUser(user), headers: { 'set-cookie': cookie } };
    },

    async signOut({ caller, db, exchange }) {
      const session = caller?.session ?? null;
      const [ended] =
        session === null ? [] : await db.query(deleteSession, { secret_hash: session });
      if (caller !== null) accountChanges.publish(caller.user.id);
      const headers = { 'set-cookie': endedSessionCookie(exchange.secure) };
      const redirect_url =
        (ended?.issuer ?? null) === null
          ? undefined
          : await oidc?.signOutUrl(publicOrigin(services, exchange));
      return redirect_url === undefined
        ? { status: 204, headers }
        : { status: 200, headers, body: { redirect_url } };
    },

    getMe: async ({ caller }) => ({ status: 200, body: presentUser(caller.user) }),

    async changePassword({ caller, body, exchange, record }) {
      requireUnrestricted(caller, 'Changing a password');
      const { username, has_password } = caller.user;
      if (has_password) {
        await sessions.checkPassword(username, body.current_password ?? '', exchange.address);
      }
      const user = await store.database.transaction(async (tx) => {
        await record(tx, caller.user.id);
        return await users.setOwnPassword(caller, body.password, tx);
      });
      return { status: 200, body: presentUser(user) };
    },

    async listUsers({ query, db }) {
      const { cursor, limit } = query;
      const after_id = decodeCursor(IdCursor, cursor)?.id ?? null;
      const rows = await db.query(listUsers, { after_id, limit: limit + 1 });
      const { rows: shown, next_cursor } = page(rows, limit, ({ id }) => ({ id }));
      return { status: 200, body: { users: shown.map(presentUser), next_cursor } };
    },

    createUser: async ({ body, caller, db }) => ({
      status: 201,
      body: presentUser(await users.create(body, caller, db)),
    }),

    getUser: async ({ found }) => ({ status: 200, body: presentUser(found.user) }),

    async updateUser({ found, body, caller, tx, exchange }) {
      const user = await users.update(found.user, body, caller, tx);
      if (user.suspended !== found.user.suspended) {
        const by = caller.user.username;
        exchange.log.info({ user: user.username, suspended: user.suspended, by }, 'user changed');
      }
      return {
        status: 200,
        body: presentUser(user),
        ...(body.suspended === true && { afterCommit: () => users.endWork(user.id) }),
      };
    },

    async deleteUser({ found, record }) {
      await users.delete(found.user, record);
      return { status: 204 };
    },

    async interruptUser({ found, body, caller, db, exchange, record }) {
      await record(db);
      const chatIds = await users.interrupt(found.user.id, body.chat_ids);
      const user = found.user.username;
      const by = caller.user.username;
      exchange.log.info({ user, by, chats: chatIds.length }, 'chats of a user interrupted');
      return { status: 200, body: { chat_ids: chatIds } };
    },

    listUserTokens: async ({ found, query, db }) => ({
      status: 200,
      body: await tokenPage(found.user.id, query, db),
    }),

    async deleteUserToken({ found, tx }) {
      if (found.token.user_id !== found.user.id) throw notFound();
      await tokens.revoke(found.token, tx);
      return { status: 204 };
    },

    async createSignInLink({ found, caller, db, exchange }) {
      requireUnrestricted(caller, 'Creating a sign-in link');
      const link = await newSignInLink(db, found.user.id, publicOrigin(services, exchange));
      if (link === undefined) throw notFound();
      const { url, expiresAt } = link;
      return { status: 201, body: { url, expires_at: expiresAt.toISOString() } };
    },

    listTokens: async ({ caller, query, db }) => ({
      status: 200,
      body: await tokenPage(caller.user.id, query, db),
    }),

    async createToken({ caller, body, tx }) {
      const { token, secret } = await tokens.create(caller, body, tx);
      return { status: 201, body: { ...presentToken(token), token: secret } };
    },

    async deleteToken({ found, tx }) {
      await tokens.revoke(found.token, tx);
      return { status: 204 };
    },
  };
};

const passwordSignInDisabled = () =>
  new Refused(
    'password_sign_in_disabled',
    'Sign-in with passwords is disabled on this server. Use the sign-in page, or ask an admin for a sign-in link.',
  );

async function tokenPage(
  userId: string,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  db: Queryable,
) {
  const after_id = decodeCursor(IdCursor, cursor)?.id ?? null;
  const rows = await db.query(listTokens, { user_id: userId, after_id, limit: limit + 1 });
  const { rows: shown, next_cursor } = page(rows, limit, ({ id }) => ({ id }));
  return { tokens: shown.map(presentToken), next_cursor };
}
