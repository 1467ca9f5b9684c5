import type { ChatStatus } from '@chatd/protocol';
import type { CommandName } from '../chat/moves.ts';

/** A committed change of a chat, told to whoever watches. A hint, never the truth: that is in the database. */
export interface Change {
  readonly command: CommandName | 'create';
  readonly id: string;
  readonly owner_id: string;
  readonly status: ChatStatus;
  readonly snapshot_version: number;
}

/** Must be quick; what it throws is the program's fault, not the transaction's. */
export type Publish = (change: Change) => void;
