import type { ChatStatus } from '@chatd/protocol';
import { statement } from '../statement.ts';

/** Reads every chat; whoever asks keeps the answer for a while. */
export const countChatsByStatus = statement<{
  status: ChatStatus;
  count: number;
  queued: number;
}>(
  'count-chats-by-status',
  `SELECT status, count(*) AS count, count(*) FILTER (WHERE queued_for_capacity) AS queued
     FROM chats
    WHERE deleted_at IS NULL
    GROUP BY status`,
);
