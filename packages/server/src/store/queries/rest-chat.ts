import { statement } from '../statement.ts';

export const restChat = statement<never>(
  'rest-chat',
  `INSERT INTO resting_chats (chat_id, runner_id) VALUES ($1, $2)
   ON CONFLICT (chat_id) DO UPDATE SET runner_id = excluded.runner_id`,
);
