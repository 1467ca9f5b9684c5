import { RequestRefused } from '../http/refusal.ts';
import { type Caller, isUnrestricted } from './caller.ts';

/**
 * For calls that yield a password, a session or the admin role. Those have no scopes and outlive a token, so a
 * restricted token must not yield them.
 */
export function requireUnrestricted(caller: Caller, what: string): void {
  if (isUnrestricted(caller)) return;
  throw new RequestRefused(
    'insufficient_scope',
    `${what} requires a session, or a token without scopes and expiry.`,
  );
}
