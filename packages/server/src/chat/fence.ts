import { Refused } from './refused.ts';
import type { ChatRow } from './row.ts';

/** What a runner's work is based on. A runner that lost the chat, or works on an old history, cannot write. */
export interface Fence {
  readonly runner_id: string;
  readonly history_version: number;
}

export function checkFence(chat: ChatRow, fence: Fence): void {
  if (chat.runner_id !== fence.runner_id) {
    throw new Refused('lost_lease', 'Another runner has taken over this chat.');
  }
  if (chat.history_version !== fence.history_version) {
    throw new Refused('obsolete', 'The history has changed since this work began.');
  }
}
