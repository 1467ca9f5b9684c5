import type { ChatStatus } from '@chatd/protocol';
import type { CommandName } from '../chat/moves.ts';
import type { MessageRow } from '../chat/row.ts';

/** A committed change of a chat, told to whoever watches. A hint, never the truth: that is in the database. */
export interface Change {
  readonly command: CommandName | 'create';
  readonly id: string;
  readonly owner_id: string;
  readonly status: ChatStatus;
  readonly snapshot_version: number;
}

/** What a runner's hot transition did, all of it: whoever stood right before it stands right behind it. */
export interface HotStep {
  readonly history_version: number;
  readonly attempt: number;
  readonly messages: readonly MessageRow[];
}

/** Messages that a client's command added to the end of a history. */
export interface Entered {
  /** The versions of the history before and after; 0 before there was one. */
  readonly from: number;
  readonly to: number;
  readonly messages: readonly MessageRow[];
}

/** A change in the process that made it. */
export interface OwnChange extends Change {
  readonly step?: HotStep;
  readonly entered?: Entered;
}

/** What others are told of it. */
export const hintOf = ({ command, id, owner_id, status, snapshot_version }: Change): Change => ({
  command,
  id,
  owner_id,
  status,
  snapshot_version,
});

/** Must be quick; what it throws is the program's fault, not the transaction's. */
export type Publish = (change: OwnChange) => void;
