import type { Message } from '@chatd/protocol';
import { presentMessage } from '../present/message.ts';
import type { ChatLookRow } from '../store/queries/chats/look-at-chat.ts';

/** Messages that follow on one, without a gap, as of an edit; there may be more behind them. */
export interface Opening {
  readonly from: number;
  readonly reset: number;
  readonly messages: readonly Message[];
}

export const messagesIn = (rows: readonly ChatLookRow[]): Message[] =>
  rows.flatMap((row) =>
    row.id === null ? [] : [presentMessage(row as Parameters<typeof presentMessage>[0])],
  );
