import type { Scope } from '@chatd/protocol';
import type { UserRow } from '../store/accounts.ts';

/** Who makes a request, and by what right. */
export interface Caller {
  readonly user: UserRow;
  /** Null: everything that the user may do. */
  readonly scopes: readonly Scope[] | null;
  /** When the right ends, where it does. */
  readonly expiresAt: Date | null;
  /** Null when a session was shown. */
  readonly tokenId: string | null;
  /** The session's secret as it is stored; null when a token was shown. */
  readonly session: Buffer | null;
}

/** Whether the user is an admin. A token of an admin may lack the scope: see `actsAsAdmin`. */
export const isAdmin = ({ user }: Caller): boolean => user.role === 'admin';

/** Whether the caller sees and does what only admins may. */
export const actsAsAdmin = (caller: Caller): boolean =>
  isAdmin(caller) && hasScope(caller, 'admin');

/** Whether the token or session has all rights of its user and does not expire before they do. */
export const isUnrestricted = ({ scopes, expiresAt }: Caller): boolean =>
  scopes === null && expiresAt === null;

export const hasScope = ({ scopes }: Caller, scope: Scope): boolean =>
  scopes === null || scopes.includes(scope);
