/**
 * Why a sign-in failed. `invalid`: the response of the provider is not for this server, or is forged. `misconfigured`: the
 * provider does not accept this server as its client. `signed_out` and `connected_to_other`: of a user who connects an account.
 */
export type SignInFailureReason =
  | 'not_started'
  | 'replayed'
  | 'refused'
  | 'code_expired'
  | 'invalid'
  | 'misconfigured'
  | 'unreachable'
  | 'domain_not_allowed'
  | 'email_not_verified'
  | 'suspended'
  | 'signed_out'
  | 'connected_to_other';

export class SignInFailure extends Error {
  override readonly name = 'SignInFailure';
  readonly reason: SignInFailureReason;
  /** What the provider said, the rejected address, or the name of the other user. Shown to the user. */
  readonly detail: string | undefined;
  readonly userId: string | undefined;

  constructor(
    reason: SignInFailureReason,
    { detail, userId, cause }: { detail?: string; userId?: string; cause?: unknown } = {},
  ) {
    super(`sign-in failed: ${reason}`, { cause });
    this.reason = reason;
    this.detail = detail;
    this.userId = userId;
  }
}
