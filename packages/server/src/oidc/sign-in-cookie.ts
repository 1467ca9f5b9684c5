import { readCookie } from '../auth/session-cookie.ts';
import { PENDING_SECONDS } from './pending-sign-in.ts';

const NAME = 'chatd_sign_in';

/** The paths that get the cookie. */
export const OIDC_PATH = '/oidc';

export const readSignInCookie = (header: string | undefined): string | undefined =>
  readCookie(header, NAME);

/** SameSite=Lax: the provider sends the browser back from another site. */
export const signInCookie = (sealed: string, secure: boolean): string =>
  cookie(sealed, PENDING_SECONDS, secure);

export const endedSignInCookie = (secure: boolean): string => cookie('', 0, secure);

const cookie = (value: string, maxAge: number, secure: boolean) =>
  `${NAME}=${value}; Path=${OIDC_PATH}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure ? '; Secure' : ''}`;
