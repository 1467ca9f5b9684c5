import type { ApprovalRule } from '@chatd/protocol';
import type { ChatRow } from '../../chat/row.ts';
import type { Transaction } from '../transaction.ts';
import type { TakenUp } from './runner-commands.ts';

/** Capacity of this process for one chat, until `start` or `cancel`. Further calls do nothing. */
export interface ReservedRun {
  readonly workerId: string;
  /** The chat may run here if its owner has fewer active chats. Null: no limit. */
  readonly activeLimit: number | null;
  start(taken: TakenUp): void;
  cancel(): void;
}

/** Undefined: this process has no capacity. Workers acquire the chat after the commit. */
export type ReserveRun = (ownerId: string) => ReservedRun | undefined;

/** Parameters of a statement that can claim the chat that it makes runnable. */
export interface ClaimParams {
  /** Null: do not claim. */
  readonly worker_id: string | null;
  readonly active_limit: number | null;
}

/** A claimed chat has a runner, and its first attempt has begun. */
export type ClaimableRow = ChatRow & { readonly approvals: readonly ApprovalRule[] | null };

export interface Claimable<Row> {
  readonly row: Row;
  readonly claimed: boolean;
  /** Call it after the commit. */
  readonly start: (chat: ChatRow) => void;
}

/** Runs a statement that can claim the chat that it makes runnable. Undefined: the statement returned no row. */
export async function claiming<Row extends ClaimableRow>(
  reserved: ReservedRun | undefined,
  tx: Transaction | undefined,
  run: (params: ClaimParams) => Promise<Row[]>,
): Promise<Claimable<Row> | undefined> {
  const cancel = () => reserved?.cancel();
  tx?.afterRollback(cancel);
  try {
    const [row] = await run({
      worker_id: reserved?.workerId ?? null,
      active_limit: reserved?.activeLimit ?? null,
    });
    if (row === undefined) {
      cancel();
      return undefined;
    }
    const claimed = row.runner_id !== null;
    const start = (chat: ChatRow) => {
      const approvals = row.approvals ?? [];
      if (claimed) reserved?.start({ chat, begun: true, waitingSince: chat.updated_at, approvals });
      else cancel();
    };
    return { row, claimed, start };
  } catch (error) {
    cancel();
    throw error;
  }
}
