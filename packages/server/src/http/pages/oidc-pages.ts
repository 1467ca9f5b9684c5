import type { SignInFailure, SignInFailureReason } from '../../oidc/sign-in-failure.ts';
import { actionLink, escaped, page } from './pages.ts';

interface FailurePage {
  readonly status: number;
  /** `name` is the provider, `detail` what it said. Both are escaped. */
  readonly title: (name: string) => string;
  readonly text: (name: string, detail: string) => readonly string[];
}

const START_AGAIN = 'Start again. No one was signed in.';

const FAILURES: Readonly<Record<SignInFailureReason, FailurePage>> = {
  not_started: {
    status: 400,
    title: () => 'This sign-in is no longer valid',
    text: () => [
      'It was started in another browser or more than 10 minutes ago, or another sign-in was started since.',
      START_AGAIN,
    ],
  },
  replayed: {
    status: 400,
    title: () => 'This sign-in was already used',
    text: () => ['If you used it in this browser, you are signed in. Otherwise, start again.'],
  },
  code_expired: {
    status: 400,
    title: () => 'This sign-in was already used or has expired',
    text: (name) => [
      `${name} no longer accepts its code. If you used it in this browser, you are signed in. Otherwise, start again.`,
    ],
  },
  refused: {
    status: 403,
    title: (name) => `${name} did not sign you in`,
    text: (name, detail) => [
      `Its reason: ${detail}`,
      `Start again, or ask an admin of ${name} for access to chatd.`,
    ],
  },
  invalid: {
    status: 502,
    title: (name) => `The response of ${name} is not valid`,
    text: () => [
      'It does not belong to this sign-in or to this server, so it was rejected.',
      'Start again. If it fails again, ask an admin of chatd to check <code>CHATD_OIDC_ISSUER</code> and <code>CHATD_OIDC_CLIENT_ID</code>. The log of the server has the reason.',
    ],
  },
  misconfigured: {
    status: 502,
    title: (name) => `${name} does not accept this server`,
    text: () => [
      'Ask an admin of chatd to check <code>CHATD_OIDC_CLIENT_ID</code> and <code>CHATD_OIDC_CLIENT_SECRET</code>. The log of the server has the reason.',
    ],
  },
  unreachable: {
    status: 503,
    title: (name) => `${name} cannot be reached`,
    text: () => [
      'Try again in a minute. If it fails again, ask an admin of chatd to run <code>chatd doctor</code>, which checks the provider.',
    ],
  },
  domain_not_allowed: {
    status: 403,
    title: () => 'Your account is not allowed',
    text: (name, detail) => [
      `The domain of ${detail} is not one of <code>CHATD_OIDC_ALLOWED_DOMAINS</code>.`,
      `Sign in to ${name} with another account, or ask an admin of chatd to allow the domain.`,
    ],
  },
  email_not_verified: {
    status: 403,
    title: () => 'Your e-mail address is not verified',
    text: (name, detail) => [
      detail === ''
        ? `${name} did not send an e-mail address, but this server allows only some domains.`
        : `This server allows only some domains, and ${name} has not verified ${detail}.`,
      `Verify your address at ${name} and start again, or ask its admin.`,
    ],
  },
  suspended: {
    status: 403,
    title: () => 'Your account is suspended',
    text: () => ['Ask an admin of chatd to lift the suspension.'],
  },
  signed_out: {
    status: 403,
    title: () => 'You were signed out meanwhile',
    text: (name) => [`Sign in to chatd, then connect ${name} in your account settings again.`],
  },
  connected_to_other: {
    status: 409,
    title: (name) => `This account of ${name} belongs to another user`,
    text: (name, detail) => [
      `The user ${detail} of chatd signs in with it. Nothing was changed.`,
      `Connect another account of ${name}, or ask an admin of chatd to delete that user first.`,
    ],
  },
};

const BACK_TO_SIGN_IN = actionLink('Back to sign-in', '/');
const BACK: Partial<Record<SignInFailureReason, string>> = {
  connected_to_other: actionLink('Back to your account', '/settings/account'),
};

export function oidcFailurePage(
  { reason, detail = '' }: SignInFailure,
  name: string,
): { readonly page: string; readonly status: number } {
  const { status, title, text } = FAILURES[reason];
  const shown = escaped(name);
  return {
    status,
    page: page(title(shown), ...text(shown, escaped(detail)), BACK[reason] ?? BACK_TO_SIGN_IN),
  };
}
