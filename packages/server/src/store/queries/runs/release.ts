import type { ChatStatus } from '@chatd/protocol';
import { statement } from '../../statement.ts';

/** Ownership only: the chat stays runnable, and whoever comes next takes it at once. */
export const releaseChat = statement<{ id: string }>(
  'release-chat',
  `UPDATE chats SET runner_id = NULL, worker_id = NULL WHERE id = $1 AND runner_id = $2 RETURNING id`,
);

export interface ReleasedChat {
  readonly id: string;
  readonly owner_id: string;
  readonly status: ChatStatus;
  readonly snapshot_version: number;
}

/** A worker ends: all its chats are free at once, and nobody needs to remember it. */
export const releaseWorker = statement<ReleasedChat>(
  'release-worker',
  `WITH gone AS (DELETE FROM workers WHERE id = $1)
   UPDATE chats SET runner_id = NULL, worker_id = NULL
    WHERE worker_id = $1 AND status IN ('running', 'interrupting')
   RETURNING id, owner_id, status, snapshot_version`,
);

export const restChat = statement<never>(
  'rest-chat',
  `INSERT INTO resting_chats (chat_id, runner_id) VALUES ($1, $2)
   ON CONFLICT (chat_id) DO UPDATE SET runner_id = excluded.runner_id`,
);

export const wakeChat = statement<never>(
  'wake-chat',
  `DELETE FROM resting_chats WHERE chat_id = $1 AND runner_id = $2`,
);

/** The chat was set aside: whoever resumes it gets as many tries as before. */
export const forgetDeaths = statement<never>(
  'forget-deaths',
  `UPDATE chats SET owner_deaths = 0 WHERE id = $1`,
);
