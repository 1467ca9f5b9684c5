import type { Scope } from '@chatd/protocol';
import { Refused } from '../chat/refused.ts';
import type { UserRow } from '../store/accounts.ts';

/** The authenticated user, and the rights of the token or session. */
export interface Caller {
  readonly user: UserRow;
  /** Null: all rights of the user. */
  readonly scopes: readonly Scope[] | null;
  readonly expiresAt: Date | null;
  /** Null for a session. */
  readonly tokenId: string | null;
  /** The hash of the session secret. Null for a token. */
  readonly session: Buffer | null;
  /** The caller has only the link of a chat. `user` is a placeholder with the id of the chat. */
  readonly link?: ChatLinkCaller;
}

export interface ChatLinkCaller {
  readonly chatId: string;
  readonly secretHash: Buffer;
}

/** Whether the user is an admin. Their token may lack the scope: see `actsAsAdmin`. */
export const isAdmin = ({ user }: Caller): boolean => user.role === 'admin';

/** Whether the caller has admin rights: the role and the scope. */
export const actsAsAdmin = (caller: Caller): boolean =>
  isAdmin(caller) && hasScope(caller, 'admin');

export const hasScope = ({ scopes }: Caller, scope: Scope): boolean =>
  scopes === null || scopes.includes(scope);

/** For a field of a call that any user may make, when the field itself is for admins only. */
export function requireAdmin(caller: Caller, field: string): void {
  if (!isAdmin(caller)) throw new Refused('admin_required', `${field}: requires an admin`);
  if (!hasScope(caller, 'admin')) {
    throw new Refused('insufficient_scope', `${field}: requires a token with the scope admin`);
  }
}

/**
 * For calls that yield a password, a session or the admin role. Those have no scopes and outlive a token, so a
 * restricted token must not yield them.
 */
export function requireUnrestricted({ scopes, expiresAt }: Caller, action: string): void {
  if (scopes === null && expiresAt === null) return;
  throw new Refused(
    'insufficient_scope',
    `${action} requires a session, or a token without scopes and expiry.`,
  );
}
