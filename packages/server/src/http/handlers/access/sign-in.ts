import { randomUUID } from 'node:crypto';
import { notFound, Refused } from '../../../chat/refused.ts';
import { CliLoginCommands } from '../../../entities/cli-logins/commands.ts';
import { SessionCommands } from '../../../entities/sessions/commands.ts';
import { TokenCommands } from '../../../entities/tokens/commands.ts';
import { presentToken } from '../../../entities/tokens/present.ts';
import { signInCookie } from '../../../oidc/sign-in-cookie.ts';
import { SignInFailure } from '../../../oidc/sign-in-failure.ts';
import { OIDC_SIGN_IN } from '../../../oidc/sign-ins.ts';
import { identitiesOfUser, type IdentityRow } from '../../../store/queries/sign-in/identities.ts';
import type { HandlersOf } from '../../call.ts';
import { isSecure, publicOrigin } from '../../pages/oidc.ts';
import type { Services } from '../../services.ts';
import { CLI_LOGIN_PATH } from '../../web-ui.ts';

const INTERVAL_SECONDS = 3;
/** After an account was connected. */
const ACCOUNT_PAGE = '/settings/account';

const sessionRequired = () =>
  new Refused('insufficient_scope', 'Connecting an account requires a session. Use the web UI.');

const presentIdentity = ({ created_at, last_sign_in_at, ...identity }: IdentityRow) => ({
  ...identity,
  created_at: created_at.toISOString(),
  last_sign_in_at: last_sign_in_at.toISOString(),
});

export const signInHandlers = (services: Services): HandlersOf<'Sign-in'> => {
  const { store, accountChanges, signInAttempts, oidc, passwordSignIn } = services;
  const sessions = new SessionCommands(store.database, signInAttempts);
  const logins = new CliLoginCommands(new TokenCommands(accountChanges));

  return {
    getSignInMethods: async () => ({
      status: 200,
      body: {
        password: passwordSignIn,
        oidc: oidc === undefined ? null : { name: oidc.options.name, path: OIDC_SIGN_IN },
      },
    }),

    async listIdentities({ caller, db }) {
      const rows = await db.query(identitiesOfUser, { user_id: caller.user.id });
      return { status: 200, body: { identities: rows.map(presentIdentity) } };
    },

    async connectIdentity({ caller, body, db, exchange }) {
      if (oidc === undefined) throw notFound();
      const { user, session } = caller;
      if (session === null) throw sessionRequired();
      const { issuer, name } = oidc.options;
      const known = await db.query(identitiesOfUser, { user_id: user.id });
      if (known.some((identity) => identity.issuer === issuer)) {
        throw new Refused('identity_connected', `Your user is already connected with ${name}.`);
      }
      const origin = publicOrigin(services, exchange);
      if (exchange.origin !== origin) {
        throw new Refused('invalid_request', `Open chatd at ${origin} to connect ${name}.`);
      }
      if (user.has_password) {
        await sessions.checkPassword(user.username, body.current_password ?? '', exchange.address);
      }
      const connect = { userId: user.id, session: session.toString('base64url') };
      try {
        const { url, sealed } = await oidc.begin(origin, ACCOUNT_PAGE, connect);
        const headers = { 'set-cookie': signInCookie(sealed, isSecure(origin)) };
        return { status: 200, headers, body: { url } };
      } catch (error) {
        if (!(error instanceof SignInFailure)) throw error;
        throw new Refused(
          'identity_provider_failed',
          `${name} cannot be reached. Try again in a minute. If it fails again, ask an admin to run chatd doctor.`,
        );
      }
    },

    async startCliLogin({ body, db, exchange }) {
      // Counts for the address only: no account has this name.
      await signInAttempts.begin(randomUUID(), exchange.address);
      const { code, userCode, expiresAt } = await logins.start(db, body.name);
      return {
        status: 201,
        body: {
          code,
          user_code: userCode,
          url: `${publicOrigin(services, exchange)}${CLI_LOGIN_PATH}`,
          interval_seconds: INTERVAL_SECONDS,
          expires_at: expiresAt.toISOString(),
        },
      };
    },

    approveCliLogin: async ({ caller, body, tx }) => ({
      status: 200,
      body: { name: await logins.approve(tx, caller, body.user_code) },
    }),

    async createCliLoginCode({ caller, body, tx }) {
      const { code, expiresAt } = await logins.createCode(tx, caller, body);
      return { status: 201, body: { code, expires_at: expiresAt.toISOString() } };
    },

    async finishCliLogin({ body: { code, verifier }, exchange }) {
      const given = { code, ...(verifier !== undefined && { verifier }), ip: exchange.address };
      const { token, secret } = await store.database.transaction((tx) => logins.finish(tx, given));
      return { status: 201, body: { ...presentToken(token), token: secret } };
    },
  };
};
