import { statement } from '../statement.ts';

/** Ownership only: the chat stays runnable, and whoever comes next takes it at once. */
export const releaseChat = statement<{ id: string }>(
  'release-chat',
  `UPDATE chats SET runner_id = NULL, worker_id = NULL WHERE id = $1 AND runner_id = $2 RETURNING id`,
);
