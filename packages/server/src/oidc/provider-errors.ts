import type * as OpenIdClient from 'openid-client';
import { type SignInFailureReason, SignInFailure } from './sign-in-failure.ts';

type Client = Pick<
  typeof OpenIdClient,
  'AuthorizationResponseError' | 'ResponseBodyError' | 'WWWAuthenticateChallengeError'
>;

/** Errors of the token endpoint (RFC 6749, section 5.2). */
const TOKEN_ERRORS: Readonly<Record<string, SignInFailureReason>> = {
  invalid_grant: 'code_expired',
  invalid_client: 'misconfigured',
  unauthorized_client: 'misconfigured',
};

/** Of the HTTP response. All other codes concern the content. */
const NO_RESPONSE = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);

const MAX_DETAIL = 300;

/** Why the sign-in failed, from an error of the library. */
export function failureFrom(cause: unknown, client: Client): SignInFailure {
  if (cause instanceof SignInFailure) return cause;
  if (cause instanceof client.AuthorizationResponseError) {
    const detail = (cause.error_description ?? cause.error).slice(0, MAX_DETAIL);
    return new SignInFailure('refused', { detail, cause });
  }
  if (cause instanceof client.ResponseBodyError) {
    return new SignInFailure(TOKEN_ERRORS[cause.error] ?? 'invalid', { cause });
  }
  if (cause instanceof client.WWWAuthenticateChallengeError) {
    return new SignInFailure('misconfigured', { cause });
  }
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const isUnreachable =
    typeof code === 'string' ? NO_RESPONSE.has(code) : cause instanceof TypeError;
  return new SignInFailure(isUnreachable ? 'unreachable' : 'invalid', { cause });
}
