import { randomUUID } from 'node:crypto';
import { CliLoginCommands } from '../../entities/cli-logins/commands.ts';
import { TokenCommands } from '../../entities/tokens/commands.ts';
import { presentToken } from '../../entities/tokens/present.ts';
import { OIDC_SIGN_IN } from '../../oidc/sign-ins.ts';
import type { HandlersOf } from '../call.ts';
import { publicOrigin } from '../pages/oidc.ts';
import type { Services } from '../services.ts';
import { CLI_LOGIN_PATH } from '../web-ui.ts';

const INTERVAL_SECONDS = 3;

export const signInHandlers = (services: Services): HandlersOf<'Sign-in'> => {
  const { store, accountChanges, signInAttempts, oidc, passwordSignIn } = services;
  const logins = new CliLoginCommands(new TokenCommands(accountChanges));

  return {
    getSignInMethods: async () => ({
      status: 200,
      body: {
        password: passwordSignIn,
        oidc: oidc === undefined ? null : { name: oidc.options.name, path: OIDC_SIGN_IN },
      },
    }),

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
