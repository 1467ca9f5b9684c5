import { writeAuditEvent } from '../../auth/audit.ts';
import { hashSecret } from '../../auth/secret.ts';
import { openSession } from '../../auth/sessions.ts';
import { IdentityCommands } from '../../entities/identities/commands.ts';
import type { Connecting } from '../../oidc/pending-sign-in.ts';
import { returnPath } from '../../oidc/return-to.ts';
import { endedSignInCookie, readSignInCookie, signInCookie } from '../../oidc/sign-in-cookie.ts';
import { SignInFailure, type SignInFailureReason } from '../../oidc/sign-in-failure.ts';
import type { FinishedSignIn, OidcSignIns } from '../../oidc/sign-ins.ts';
import { findSession } from '../../store/queries/sessions.ts';
import { finishSignIn } from '../../store/queries/sign-in/identities.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { Exchange } from '../exchange.ts';
import { parseQueryString } from '../request/query-string.ts';
import type { Services } from '../services.ts';
import { oidcFailurePage } from './oidc-pages.ts';
import { signedInPage } from './pages.ts';

/** A page, or a redirect. */
export interface OidcAnswer {
  readonly page?: string;
  readonly location?: string;
  readonly status: number;
  readonly cookies: readonly string[];
}

/** Of accounts that the provider has authenticated. Other failures could flood the audit log. */
const RECORDED: ReadonlySet<SignInFailureReason> = new Set([
  'domain_not_allowed',
  'email_not_verified',
  'suspended',
  'connected_to_other',
]);

/** Sends the browser to the provider. */
export async function oidcSignIn(
  services: Services,
  oidc: OidcSignIns,
  exchange: Exchange,
): Promise<OidcAnswer> {
  const returnTo = returnPath(parseQueryString(exchange.search)['return_to']);
  const origin = publicOrigin(services, exchange);
  // The cookie of the sign-in must be that of the host to which the provider sends the browser back.
  if (exchange.header('host')?.toLowerCase() !== new URL(origin).host) {
    const location = `${origin}${exchange.path}?return_to=${encodeURIComponent(returnTo)}`;
    return { location, status: 303, cookies: [] };
  }
  try {
    const { url, sealed } = await oidc.begin(origin, returnTo);
    return { location: url, status: 303, cookies: [signInCookie(sealed, isSecure(origin))] };
  } catch (error) {
    return failed(error, oidc, exchange, []);
  }
}

/** The provider sends the browser back. */
export async function oidcCallback(
  services: Services,
  oidc: OidcSignIns,
  exchange: Exchange,
): Promise<OidcAnswer> {
  const origin = publicOrigin(services, exchange);
  const ended = endedSignInCookie(isSecure(origin));
  try {
    const sealed = readSignInCookie(exchange.header('cookie'));
    const finished = await oidc.finish(sealed, origin, exchange.search);
    if (finished.connect !== undefined) {
      await connectAccount(services, oidc, finished, finished.connect, exchange.address);
      return { page: signedInPage(finished.returnTo), status: 200, cookies: [ended] };
    }
    const cookie = await openOidcSession(services, oidc, finished, {
      ip: exchange.address,
      secure: isSecure(origin),
    });
    return { page: signedInPage(finished.returnTo), status: 200, cookies: [cookie, ended] };
  } catch (error) {
    if (error instanceof SignInFailure && RECORDED.has(error.reason)) {
      await writeAuditEvent(
        services.store.database,
        { kind: 'anonymous', ip: exchange.address },
        {
          action: 'user.sign_in_failed',
          targetId: error.userId ?? null,
          detail: { by: 'oidc', reason: error.reason },
        },
      );
    }
    // A callback that does not belong to the cookie must not end the sign-in in progress.
    const keepsCookie = error instanceof SignInFailure && error.reason === 'not_started';
    return failed(error, oidc, exchange, keepsCookie ? [] : [ended]);
  }
}

const openOidcSession = (
  { store, accountChanges }: Services,
  { options }: OidcSignIns,
  { profile, state }: FinishedSignIn,
  { ip, secure }: { readonly ip: string; readonly secure: boolean },
): Promise<string> =>
  store.database.transaction(async (tx) => {
    await finishOnce(tx, state);
    const user = await new IdentityCommands(accountChanges, options).signIn(tx, profile, ip);
    return await openSession(tx, { user, by: 'oidc', ip, issuer: profile.issuer }, secure);
  });

/** The browser sends no session with the callback, because it comes from another site. */
const connectAccount = (
  { store, accountChanges }: Services,
  { options }: OidcSignIns,
  { profile, state }: FinishedSignIn,
  { userId, session }: Connecting,
  ip: string,
): Promise<void> =>
  store.database.transaction(async (tx) => {
    await finishOnce(tx, state);
    const [user] = await tx.query(findSession, { secret_hash: Buffer.from(session, 'base64url') });
    if (user?.id !== userId) throw new SignInFailure('signed_out');
    await new IdentityCommands(accountChanges, options).connect(tx, profile, user, ip);
  });

async function finishOnce(tx: Transaction, state: string): Promise<void> {
  const [first] = await tx.query(finishSignIn, { state_hash: hashSecret(state) });
  if (first === undefined) throw new SignInFailure('replayed');
}

function failed(
  error: unknown,
  { options: { name } }: OidcSignIns,
  exchange: Exchange,
  cookies: readonly string[],
): OidcAnswer {
  if (!(error instanceof SignInFailure)) throw error;
  exchange.log.warn({ err: error, reason: error.reason }, 'a sign-in with OIDC failed');
  return { ...oidcFailurePage(error, name), cookies };
}

/** The origin of our pages in browsers. */
export const publicOrigin = ({ publicUrl }: Pick<Services, 'publicUrl'>, { origin }: Exchange) =>
  publicUrl ?? origin;

export const isSecure = (origin: string) => origin.startsWith('https:');
