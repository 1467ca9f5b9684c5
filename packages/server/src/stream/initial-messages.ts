import type { Message } from '@chatd/protocol';
import { presentMessage } from '../present/message.ts';
import type { ChatSnapshotRow } from '../store/queries/chats/snapshot.ts';

/** The messages after `from`, without a gap, as of the edit `reset`. There may be more. */
export interface InitialMessages {
  readonly from: number;
  readonly reset: number;
  readonly messages: readonly Message[];
}

export const messagesIn = (rows: readonly ChatSnapshotRow[]): Message[] =>
  rows.flatMap((row) =>
    row.id === null ? [] : [presentMessage(row as Parameters<typeof presentMessage>[0])],
  );
