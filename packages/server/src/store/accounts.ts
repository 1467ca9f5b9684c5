import type { Scope, UserRole } from '@chatd/protocol';
import { Refused } from '../chat/refused.ts';
import { deleteOtherSessions } from './queries/delete-other-sessions.ts';
import { deleteUser } from './queries/delete-user.ts';
import { lockAdmins } from './queries/lock-admins.ts';
import { lockChatsOfUser } from './queries/lock-chats-of-user.ts';
import { lockUser } from './queries/lock-user.ts';
import { updateUser } from './queries/update-user.ts';
import { onlyRow } from './statement.ts';
import type { Transaction } from './transaction.ts';

export interface UserRow {
  readonly id: string;
  readonly username: string;
  readonly role: UserRole;
  readonly has_password: boolean;
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

/** A new password ends the user's sessions, but for the one that is kept. */
export async function changeUser(
  tx: Transaction,
  user: UserRow,
  change: {
    readonly role?: UserRole | undefined;
    readonly passwordHash?: string | undefined;
    readonly spendLimit?: number | null | undefined;
    readonly keptSession?: Buffer | null;
  },
): Promise<UserRow> {
  if (change.role === 'member') await refuseLastAdmin(tx, user);
  const rows = await tx.query(updateUser, [
    user.id,
    change.role ?? null,
    change.passwordHash ?? null,
    change.spendLimit !== undefined,
    change.spendLimit ?? null,
  ]);
  if (change.passwordHash !== undefined) {
    await tx.query(deleteOtherSessions, [user.id, change.keptSession ?? null]);
  }
  return onlyRow(rows);
}

export async function removeUser(tx: Transaction, user: UserRow): Promise<void> {
  await refuseLastAdmin(tx, user);
  await tx.query(lockUser, [user.id]);
  const chats = await tx.query(lockChatsOfUser, [user.id]);
  if (chats.some(({ status }) => status !== 'waiting' && status !== 'error')) {
    throw new Refused(
      'chat_active',
      `A chat of ${user.username} is busy: wait until it is idle, or interrupt it first.`,
    );
  }
  await tx.query(deleteUser, [user.id]);
}

async function refuseLastAdmin(tx: Transaction, user: UserRow): Promise<void> {
  const admins = await tx.query(lockAdmins);
  if (admins.length === 1 && admins[0]?.id === user.id) {
    throw new Refused('last_admin', `${user.username} is the last admin: make another one first.`);
  }
}
