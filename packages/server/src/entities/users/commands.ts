import type { Routes, UserRole } from '@chatd/protocol';
import type { z } from 'zod';
import type { AccountChanges } from '../../auth/account-changes.ts';
import { type Caller, requireUnrestricted } from '../../auth/caller.ts';
import { hashPassword } from '../../auth/password.ts';
import { foundRow, Refused } from '../../chat/refused.ts';
import type { UserRow } from '../../store/accounts.ts';
import { busyChatsOfUser } from '../../store/queries/chats/find.ts';
import { lockChatsOfUser } from '../../store/queries/chats/lock.ts';
import { deleteOtherSessions } from '../../store/queries/sessions.ts';
import { deleteCliLogins } from '../../store/queries/sign-in/cli-logins.ts';
import { deleteSignInLinks } from '../../store/queries/sign-in-links.ts';
import {
  deleteUser,
  insertUser,
  lockAdmins,
  lockUser,
  updateUser,
} from '../../store/queries/users.ts';
import { listWorkspaces, moveWorkspace } from '../../store/queries/workspaces.ts';
import type { Queryable } from '../../store/statement.ts';
import type { Store } from '../../store/store.ts';
import type { Transaction } from '../../store/transaction.ts';
import { uuidv7 } from '../../store/uuid.ts';
import type { Workspaces } from '../../workspaces/workspaces.ts';

type NewUser = z.output<Routes['createUser']['body']>;
type UserChange = z.output<Routes['updateUser']['body']>;

interface PlannedUser {
  readonly role?: UserRole | undefined;
  readonly passwordHash?: string | undefined;
  readonly spendLimit?: number | null | undefined;
  readonly suspended?: boolean | undefined;
  /** The session that survives a new password. */
  readonly keptSession?: Buffer | null;
}

const MAX_WORKSPACES = 10_000;
const INTERRUPTS_AT_ONCE = 8;

/** Changes users. A suspension or deletion also ends their turns and stops their workspaces. */
export class UserCommands {
  readonly #store: Store;
  readonly #changes: Pick<AccountChanges, 'publish'>;
  readonly #workspaces: Pick<Workspaces, 'stop'> | undefined;

  /** `workspaces` is undefined where they are disabled. */
  constructor(
    store: Store,
    changes: Pick<AccountChanges, 'publish'>,
    workspaces: Pick<Workspaces, 'stop'> | undefined,
  ) {
    this.#store = store;
    this.#changes = changes;
    this.#workspaces = workspaces;
  }

  async create({ username, role, password }: NewUser, by: Caller, db: Queryable): Promise<UserRow> {
    checkGrants(by, { password, role });
    const password_hash = password === undefined ? null : await hashPassword(password);
    const [user] = await db.query(insertUser, { id: uuidv7(), username, role, password_hash });
    if (user !== undefined) return user;
    throw new Refused('username_taken', `A user named ${username} already exists.`);
  }

  /** The caller ends the work of a suspended user after the commit: see `endWork`. */
  async update(user: UserRow, change: UserChange, by: Caller, tx: Transaction): Promise<UserRow> {
    const { role, password, suspended, spend_limit_micros: spendLimit } = change;
    checkGrants(by, { password, role: role === user.role ? undefined : role });
    const passwordHash = password === undefined ? undefined : await hashPassword(password);
    return await this.#change(user, { role, passwordHash, spendLimit, suspended }, tx);
  }

  /** Signs the user out of all other sessions. */
  async setOwnPassword(
    { user, session }: Caller,
    password: string,
    tx: Transaction,
  ): Promise<UserRow> {
    const passwordHash = await hashPassword(password);
    return await this.#change(user, { passwordHash, keptSession: session }, tx);
  }

  /**
   * Suspends the user first, so that nothing of theirs starts while the rows are deleted. Their work may take long to
   * end, so no transaction is open meanwhile. `record` runs in the transaction of the deletion.
   */
  async delete(user: UserRow, record: (tx: Transaction) => Promise<void>): Promise<void> {
    const { database } = this.#store;
    await database.transaction((tx) => this.#change(user, { suspended: true }, tx));
    await this.endWork(user.id);
    await database.transaction(async (tx) => {
      await refuseLastAdmin(tx, user);
      foundRow(await tx.query(lockUser, { id: user.id }));
      // Workers of busy chats find them deleted, and stop.
      await tx.query(lockChatsOfUser, { owner_id: user.id });
      await tx.query(deleteUser, { id: user.id });
      await record(tx);
      tx.afterCommit(() => this.#changes.publish(user.id));
    });
  }

  /** Interrupts the turns of a user, or only those of the named chats. Returns the ids of the interrupted chats. */
  async interrupt(userId: string, chatIds?: readonly string[]): Promise<string[]> {
    const { database, client } = this.#store;
    const busy = await database.query(busyChatsOfUser, { owner_id: userId, ids: chatIds ?? null });
    const interrupted: string[] = [];
    const rest = busy.values();
    const interruptRest = async () => {
      for (const { id } of rest) {
        try {
          await client.interrupt(id);
          interrupted.push(id);
        } catch (error) {
          // The turn has ended, or was interrupted with its root chat.
          if (!(error instanceof Refused)) throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: INTERRUPTS_AT_ONCE }, interruptRest));
    return interrupted;
  }

  /** Interrupts the turns of a suspended user, and stops their workspaces. */
  async endWork(userId: string): Promise<void> {
    await this.interrupt(userId);
    await this.#stopWorkspaces(userId);
  }

  /** From the commit on, requests of a suspended user are refused and their chats make no model calls. */
  async #change(user: UserRow, planned: PlannedUser, tx: Transaction): Promise<UserRow> {
    tx.afterCommit(() => this.#changes.publish(user.id));
    return await writeUser(tx, user, planned);
  }

  async #stopWorkspaces(userId: string): Promise<void> {
    const { database } = this.#store;
    const rows = await database.query(listWorkspaces, {
      owner_id: userId,
      before_id: null,
      limit: MAX_WORKSPACES,
    });
    for (const row of rows.filter(({ status }) => status === 'ready')) {
      if (this.#workspaces === undefined) {
        // The replica on the machine of the workspace stops it at its next sweep.
        const move = { id: row.id, status: 'stopped', sources: ['ready'], error: null };
        await database.query(moveWorkspace, move);
        continue;
      }
      await this.#workspaces.stop(row).catch((error: unknown) => {
        // It is no longer ready.
        if (!(error instanceof Refused)) throw error;
      });
    }
  }
}

function checkGrants(
  by: Caller,
  {
    password,
    role,
  }: { readonly password?: string | undefined; readonly role?: UserRole | undefined },
): void {
  if (password !== undefined) requireUnrestricted(by, 'Setting a password');
  if (role === 'admin') requireUnrestricted(by, 'Granting the admin role');
}

/** A new password ends the other sessions of the user. A suspension ends all sessions and sign-in links. */
async function writeUser(
  tx: Transaction,
  user: UserRow,
  { role, passwordHash, spendLimit, suspended, keptSession }: PlannedUser,
): Promise<UserRow> {
  if ((role !== undefined && role !== 'admin') || suspended === true)
    await refuseLastAdmin(tx, user);
  const rows = await tx.query(updateUser, {
    id: user.id,
    role: role ?? null,
    password_hash: passwordHash ?? null,
    sets_spend_limit: spendLimit !== undefined,
    spend_limit_micros: spendLimit ?? null,
    suspended: suspended ?? null,
  });
  if (passwordHash !== undefined || suspended === true) {
    await tx.query(deleteOtherSessions, { user_id: user.id, kept_hash: keptSession ?? null });
    await tx.query(deleteCliLogins, { user_id: user.id });
  }
  if (suspended === true) await tx.query(deleteSignInLinks, { user_id: user.id });
  return foundRow(rows);
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
