import type { Scope, UserRole } from '@chatd/protocol';

export interface UserRow {
  readonly id: string;
  readonly username: string;
  readonly role: UserRole;
  readonly has_password: boolean;
  /** A suspended user cannot authenticate, and their chats do not run. */
  readonly suspended: boolean;
  /** Null: the limit in the settings applies. */
  readonly spend_limit_micros: number | null;
  readonly created_at: Date;
}

export interface TokenRow {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly scopes: readonly Scope[] | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
}
