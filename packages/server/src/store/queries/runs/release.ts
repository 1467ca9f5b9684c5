import type { ChatStatus } from '@chatd/protocol';
import { statement } from '../../statement.ts';

/** Releases the chat, which stays runnable. */
export const releaseChat = statement<{ chat_id: string; runner_id: string }, { id: string }>(
  'release-chat',
  `UPDATE chats SET runner_id = NULL, worker_id = NULL WHERE id = :chat_id AND runner_id = :runner_id RETURNING id`,
);

export interface ReleasedChat {
  readonly id: string;
  readonly owner_id: string;
  readonly status: ChatStatus;
  readonly snapshot_version: number;
}

/** Releases all chats of a worker and deletes its row. */
export const releaseWorker = statement<{ worker_id: string }, ReleasedChat>(
  'release-worker',
  `WITH gone AS (DELETE FROM workers WHERE id = :worker_id)
   UPDATE chats SET runner_id = NULL, worker_id = NULL
    WHERE worker_id = :worker_id AND status IN ('running', 'interrupting')
   RETURNING id, owner_id, status, snapshot_version`,
);

export const restChat = statement<{ chat_id: string; runner_id: string }, never>(
  'rest-chat',
  `INSERT INTO resting_chats (chat_id, runner_id) VALUES (:chat_id, :runner_id)
   ON CONFLICT (chat_id) DO UPDATE SET runner_id = excluded.runner_id`,
);

export const wakeChat = statement<{ chat_id: string; runner_id: string }, never>(
  'wake-chat',
  `DELETE FROM resting_chats WHERE chat_id = :chat_id AND runner_id = :runner_id`,
);

/** Resets the count of deaths of a chat that was set aside. */
export const forgetDeaths = statement<{ chat_id: string }, never>(
  'forget-deaths',
  `UPDATE chats SET owner_deaths = 0 WHERE id = :chat_id`,
);
