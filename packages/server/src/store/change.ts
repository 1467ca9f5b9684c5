import type { ChatStatus } from '@chatd/protocol';
import type { CommandName } from '../chat/moves.ts';
import type { MessageRow } from '../chat/row.ts';

/** A hint that a chat has changed. The database has the change itself. */
export interface Change {
  readonly command: CommandName | 'create';
  readonly id: string;
  readonly owner_id: string;
  readonly status: ChatStatus;
  readonly snapshot_version: number;
  /** The chat already has a runner, so workers need not acquire it. */
  readonly claimed?: boolean;
}

/** Everything that a runner's statement changed. A reader at the version before it needs nothing else. */
export interface CommittedStep {
  readonly history_version: number;
  readonly attempt: number;
  readonly messages: readonly MessageRow[];
}

/** Messages that a command of a client appended to the history. */
export interface AppendedMessages {
  /** The history versions before and after. 0: a new chat. */
  readonly from: number;
  readonly to: number;
  readonly messages: readonly MessageRow[];
}

/** A change within the process that made it. */
export interface LocalChange extends Change {
  readonly step?: CommittedStep;
  readonly entered?: AppendedMessages;
}

/** The hint for other processes. */
export const hintOf = (change: Change): Change => {
  const { command, id, owner_id, status, snapshot_version, claimed = false } = change;
  return { command, id, owner_id, status, snapshot_version, ...(claimed && { claimed }) };
};

/** Must be quick and must not throw: the transaction is committed. */
export type Publish = (change: LocalChange) => void;
