import { after, checkMove } from '../../chat/after.ts';
import { type CommandName, movesFrom } from '../../chat/moves.ts';
import { Refused } from '../../chat/refused.ts';
import type { ChatRow, LockedChat } from '../../chat/row.ts';
import { stateOf } from '../../chat/state.ts';
import type { Writes } from '../../chat/writes.ts';
import type { Change, AppendedMessages, LocalChange, Publish } from '../change.ts';
import type { Database } from '../database.ts';
import { lockFamily } from '../queries/chats/family.ts';
import { type ChatUnderLock, lockChat } from '../queries/chats/lock.ts';
import { readQueue } from '../queries/queued-messages.ts';
import type { Transaction } from '../transaction.ts';
import type { ReserveRun } from './claim.ts';
import { NOTHING_WRITTEN, write, type Written } from './write.ts';

export type PlannedChat = LockedChat & Pick<ChatUnderLock, 'action_expired'>;

/** Plans the writes of a command. May read within the transaction, never writes. */
export type PlanTransition = (chat: PlannedChat, tx: Transaction) => Writes | Promise<Writes>;

/**
 * Executes all transitions of chats: lock, check the move, plan, set the versions, write, commit, publish. Only the
 * statements of runners write chats, too; they check the same conditions and fall back to this.
 */
export class TransitionExecutor {
  readonly database: Database;
  readonly now: () => Date;
  readonly reserveRun: ReserveRun;
  readonly #publish: Publish;

  constructor(options: {
    database: Database;
    publish?: Publish;
    reserveRun?: ReserveRun;
    now?: () => Date;
  }) {
    this.database = options.database;
    this.now = options.now ?? (() => new Date());
    this.reserveRun = options.reserveRun ?? (() => undefined);
    this.#publish = options.publish ?? (() => undefined);
  }

  /** Runs a command on one chat, in its own transaction or in that of the caller. */
  perform(
    command: CommandName,
    chatId: string,
    plan: PlanTransition,
    outer?: Transaction,
  ): Promise<Written> {
    return this.#within(outer, async (tx) => {
      const [row] = await tx.query(lockChat, { id: chatId });
      if (row === undefined) throw new Refused('not_found', 'Not found.');
      return await this.#planned(tx, command, row, plan);
    });
  }

  /** Runs a command on a root chat and all its descendants, or on none of them. */
  performOnFamily(
    command: CommandName,
    rootId: string,
    plan: PlanTransition,
    outer?: Transaction,
  ): Promise<Written> {
    return this.#within(outer, async (tx) => {
      const rows = await tx.query(lockFamily, { root_id: rootId });
      const root = rows.find((row) => row.id === rootId);
      if (root === undefined) throw new Refused('not_found', 'Not found.');
      if (root.root_chat_id !== null) {
        throw new Refused(
          'not_a_root_chat',
          'This is a subagent chat. Apply the change to its root chat; subagents are included.',
        );
      }
      const plans = [];
      for (const row of rows) plans.push(await this.#planned(tx, command, row, plan));
      const sent = plans.map((plan) => plan());
      return async () => {
        const all = await Promise.all(sent);
        const written = all.find(({ chat }) => chat.id === rootId);
        if (written === undefined) throw new Error('The root chat was locked but not written.');
        return written;
      };
    });
  }

  /** Publishes a committed change. */
  publish(
    command: Change['command'],
    chat: Omit<Change, 'command'>,
    { step, entered, claimed }: Pick<LocalChange, 'step' | 'entered' | 'claimed'> = {},
  ): void {
    this.#publish({
      command,
      id: chat.id,
      owner_id: chat.owner_id,
      status: chat.status,
      snapshot_version: chat.snapshot_version,
      ...(step && { step }),
      ...(entered && { entered }),
      ...(claimed && { claimed }),
    });
  }

  async #planned(
    tx: Transaction,
    command: CommandName,
    row: ChatUnderLock,
    plan: PlanTransition,
  ): Promise<() => Promise<Written>> {
    const refusal = movesFrom(stateOf(row), command);
    if (refusal instanceof Refused) throw refusal;
    const queue = row.queue_length === 0 ? [] : await tx.query(readQueue, { chat_id: row.id });
    const chat = { ...row, queue };
    const writes = await plan(chat, tx);
    const next = after(chat, writes);
    if (next === null) return async () => unchanged(row);
    checkMove(command, row, moved(next, writes));
    let entered: AppendedMessages | undefined;
    tx.afterCommit(() => this.publish(command, next, entered && { entered }));
    return async () => {
      const written = await write(tx, chat, next, writes);
      if (writes.branch === undefined && written.messages.length > 0) {
        const { history_version: from } = row;
        entered = { from, to: next.history_version, messages: written.messages };
      }
      return written;
    };
  }

  /**
   * `work` plans and returns a function that writes. In its own transaction, COMMIT is sent in the same round trip as
   * the writes: if one fails, PostgreSQL rolls back.
   */
  async #within(
    outer: Transaction | undefined,
    work: (tx: Transaction) => Promise<() => Promise<Written>>,
  ): Promise<Written> {
    if (outer !== undefined) return (await work(outer))();
    const tx = await this.database.begin();
    try {
      const send = await work(tx);
      const [written, committed] = await Promise.allSettled([send(), tx.commit()]);
      // The error of the statement has the cause; the one of COMMIT does not.
      if (written.status === 'rejected') throw written.reason;
      if (committed.status === 'rejected') throw committed.reason;
      return written.value;
    } catch (error) {
      await tx.rollback();
      throw error;
    }
  }
}

const moved = (next: ChatRow, { deleted }: Writes): ChatRow =>
  deleted === undefined ? next : { ...next, deleted_at: deleted ? new Date(0) : null };

const unchanged = (chat: ChatRow): Written => ({ ...NOTHING_WRITTEN, chat });
