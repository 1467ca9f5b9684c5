import type { Scope, UserRole } from '@chatd/protocol';
import { Refused } from '../chat/refused.ts';
import { deleteOtherSessions } from './queries/sessions.ts';
import { deleteSignInLinks } from './queries/sign-in-links.ts';
import { deleteUser, lockAdmins, lockUser, updateUser } from './queries/users.ts';
import { lockChatsOfUser } from './queries/chats/lock.ts';
import { onlyRow } from './statement.ts';
import type { Transaction } from './transaction.ts';

export interface UserRow {
  readonly id: string;
  readonly username: string;
  readonly role: UserRole;
  readonly has_password: boolean;
  /** A suspended user cannot authenticate, and their chats do not run. */
  readonly suspended: boolean;
  /** Null: the limit in the settings holds. */
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

/** A new password ends the user's sessions, except the one that is kept. Suspension ends sessions and sign-in links. */
export async function changeUser(
  tx: Transaction,
  user: UserRow,
  change: {
    readonly role?: UserRole | undefined;
    readonly passwordHash?: string | undefined;
    readonly spendLimit?: number | null | undefined;
    readonly suspended?: boolean | undefined;
    readonly keptSession?: Buffer | null;
  },
): Promise<UserRow> {
  if (change.role === 'member' || change.suspended === true) await refuseLastAdmin(tx, user);
  const rows = await tx.query(updateUser, {
    id: user.id,
    role: change.role ?? null,
    password_hash: change.passwordHash ?? null,
    sets_spend_limit: change.spendLimit !== undefined,
    spend_limit_micros: change.spendLimit ?? null,
    suspended: change.suspended ?? null,
  });
  if (change.passwordHash !== undefined || change.suspended === true) {
    await tx.query(deleteOtherSessions, {
      user_id: user.id,
      kept_hash: change.keptSession ?? null,
    });
  }
  if (change.suspended === true) await tx.query(deleteSignInLinks, { user_id: user.id });
  return onlyRow(rows);
}

/** Busy chats go with the user: their workers find them gone and stop. */
export async function removeUser(tx: Transaction, user: UserRow): Promise<void> {
  await refuseLastAdmin(tx, user);
  await tx.query(lockUser, { id: user.id });
  await tx.query(lockChatsOfUser, { owner_id: user.id });
  await tx.query(deleteUser, { id: user.id });
}

async function refuseLastAdmin(tx: Transaction, user: UserRow): Promise<void> {
  const admins = await tx.query(lockAdmins);
  if (admins.length === 1 && admins[0]?.id === user.id) {
    throw new Refused(
      'last_admin',
      `${user.username} is the last active admin. Make another user an admin first.`,
    );
  }
}
