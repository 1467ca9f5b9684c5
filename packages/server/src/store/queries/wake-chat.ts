import { statement } from '../statement.ts';

export const wakeChat = statement<never>(
  'wake-chat',
  `DELETE FROM resting_chats WHERE chat_id = $1 AND runner_id = $2`,
);
