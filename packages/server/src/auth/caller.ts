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

export const isAdmin = ({ user }: Caller): boolean => user.role === 'admin';

export const hasScope = ({ scopes }: Caller, scope: Scope): boolean =>
  scopes === null || scopes.includes(scope);
