import { Refused } from '../chat/refused.ts';
import { changeUser, removeUser, type UserRow } from '../store/accounts.ts';
import { busyChatsOfUser } from '../store/queries/chats/find.ts';
import { listWorkspaces, moveWorkspace } from '../store/queries/workspaces.ts';
import type { Store } from '../store/store.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import type { AccountChanges } from './account-changes.ts';

export interface LockoutOptions {
  readonly store: Store;
  readonly changes: Pick<AccountChanges, 'publish'>;
  /** Undefined: this server was started without workspaces. */
  readonly workspaces: Pick<Workspaces, 'stop'> | undefined;
}

type Change = Parameters<typeof changeUser>[2];

const MOST_WORKSPACES = 10_000;

/** Takes away what a user has: their rights first, then what still runs. */
export class Lockout {
  readonly #with: LockoutOptions;

  constructor(options: LockoutOptions) {
    this.#with = options;
  }

  /** From the commit on, all requests of a suspended user are refused and their chats make no model calls. */
  async change(user: UserRow, change: Change): Promise<UserRow> {
    const { store, changes } = this.#with;
    const changed = await store.database.transaction((tx) => changeUser(tx, user, change));
    changes.publish(user.id);
    if (change.suspended === true) await this.#endWork(user.id);
    return changed;
  }

  /** Suspends first: nothing of the user starts while the rows are deleted. */
  async remove(user: UserRow): Promise<void> {
    await this.change(user, { suspended: true });
    const { store, changes } = this.#with;
    await store.database.transaction((tx) => removeUser(tx, user));
    changes.publish(user.id);
  }

  /** Interrupts the turns of a user, or those of the named chats. The ids of the interrupted chats. */
  async interrupt(userId: string, chatIds?: readonly string[]): Promise<string[]> {
    const { store } = this.#with;
    const busy = await store.database.query(busyChatsOfUser, {
      owner_id: userId,
      ids: chatIds ?? null,
    });
    const interrupted: string[] = [];
    for (const { id } of busy) {
      try {
        await store.client.interrupt(id);
        interrupted.push(id);
      } catch (error) {
        // The turn has ended meanwhile, or an interrupt of its root chat has ended it.
        if (!(error instanceof Refused)) throw error;
      }
    }
    return interrupted;
  }

  async #endWork(userId: string): Promise<void> {
    await this.interrupt(userId);
    await this.#stopWorkspaces(userId);
  }

  async #stopWorkspaces(userId: string): Promise<void> {
    const { store, workspaces } = this.#with;
    const rows = await store.database.query(listWorkspaces, {
      owner_id: userId,
      before_id: null,
      limit: MOST_WORKSPACES,
    });
    for (const row of rows.filter(({ status }) => status === 'ready')) {
      if (workspaces === undefined) {
        // The machine of the workspace stops it when it looks at the row next.
        await store.database.query(moveWorkspace, {
          id: row.id,
          status: 'stopped',
          sources: ['ready'],
          error: null,
        });
        continue;
      }
      await workspaces.stop(row).catch((error: unknown) => {
        // It is no longer ready: there is nothing to stop.
        if (!(error instanceof Refused)) throw error;
      });
    }
  }
}
